#error the header of the student's own is used
