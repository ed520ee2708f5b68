void f();
