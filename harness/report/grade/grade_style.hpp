// The style sheet of pages of grades, on top of kPageStyle.
#pragma once

namespace warpmark {

// The heat goes from blue to orange, which the colour-blind tell apart; every cell also has a
// letter.
constexpr const char* kGradeStyle = R"css(
:root{--h4:#d3e8f7;--h3:#e6eef2;--h2:#fbeccb;--h1:#f9d095;--h0:#f0a764;--none:#e6e6e2;--good:#0b6e4f;
--warn:#8a5a00;--warn-paper:#fff4d6;--bad-paper:#fdeceb}
@media (prefers-color-scheme:dark){:root{--h4:#173f5c;--h3:#2b4450;--h2:#57461f;--h1:#774a14;--h0:#a1560f;
--none:#2c3034;--good:#5cc9a3;--warn:#f0c04a;--warn-paper:#33290f;--bad-paper:#3a1e1c}}
.tiles{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.4rem 0}
.tile{background:var(--panel);border-radius:8px;padding:.6rem 1rem;min-width:7.5rem}
.tile b{display:block;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}
.tile span{color:var(--faint);font-size:.9em}
.banner{border-left:4px solid var(--warn);background:var(--warn-paper);padding:.6rem 1rem;margin:1rem 0;
border-radius:0 8px 8px 0;overflow-wrap:anywhere;white-space:pre-line}
.banner.bad{border-color:var(--bad);background:var(--bad-paper)}
.banner.good{border-color:var(--good);background:var(--panel)}
.bars{display:flex;align-items:flex-end;gap:3px;height:8.5rem;max-width:640px;
border-bottom:1px solid var(--faint)}
.bars div{flex:1;height:100%;display:flex;flex-direction:column;justify-content:flex-end;text-align:center;
font-size:.8em;color:var(--faint)}
.bars i{display:block;background:var(--c0);border-radius:3px 3px 0 0}
.bar-ends{display:flex;justify-content:space-between;max-width:640px;color:var(--faint);font-size:.85em}
table.heat{border-spacing:2px;border-collapse:separate;font-size:.9em}
table.heat th,table.heat td{padding:0 .4rem;border:0;height:1.55rem;vertical-align:middle}
table.heat tbody tr{border:0}
table.heat thead th{font-weight:500;vertical-align:bottom;padding-bottom:.4rem;border:0;height:auto}
table.heat thead th.name span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:11rem;
overflow:hidden;text-overflow:ellipsis;white-space:nowrap;display:inline-block;line-height:1.2}
table.heat thead th.name{text-align:center}
table.heat tbody th{font-weight:500;max-width:18rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
table.heat tbody th a{color:inherit;text-decoration:none}
table.heat tbody th a:hover{text-decoration:underline}
table.heat td.cell{min-width:2.1rem;text-align:center;border-radius:4px;font-weight:600}
table.heat td.h4{color:var(--faint);font-weight:400}
table.heat tfoot td,table.heat tfoot th{color:var(--faint);font-weight:500;text-align:center;
white-space:nowrap}
table.heat tfoot th{text-align:left}
.tall{max-height:85vh;overflow:auto}
.tall table.heat thead th{position:sticky;top:0;background:var(--paper);z-index:2}
.tall table.heat tfoot th,.tall table.heat tfoot td{position:sticky;bottom:0;background:var(--paper);z-index:1}
.tall table.heat tbody th{position:sticky;left:0;background:var(--paper)}
.tall table.heat thead th:first-child{left:0;z-index:3}
input.view{margin:0 .3rem 0 0;accent-color:var(--accent)}
input.view+label{margin-right:1.1rem}
.view-end{display:block;height:.8rem}
tbody.by-name,#order-name:checked~.tall tbody.by-points{display:none}
#order-name:checked~.tall tbody.by-name{display:table-row-group}
#show-lost:checked~.tall tbody tr:not(.is-lost),#show-lost:checked~details.student:not(.is-lost),
#show-stopped:checked~.tall tbody tr:not(.is-stopped),
#show-stopped:checked~details.student:not(.is-stopped),
#show-flagged:checked~.tall tbody tr:not(.is-flagged),
#show-flagged:checked~details.student:not(.is-flagged){display:none}
.h4{background:var(--h4)}.h3{background:var(--h3)}.h2{background:var(--h2)}.h1{background:var(--h1)}
.h0{background:var(--h0)}.none{background:var(--none);color:var(--faint)}
.legend{color:var(--faint);font-size:.9em;margin:.6rem 0 0}
.legend span{display:inline-block;white-space:nowrap;margin-right:.7rem}
.legend b{display:inline-block;min-width:1.5rem;text-align:center;border-radius:4px;color:var(--ink);
margin-right:.3rem}
.verdicts{min-width:14rem}
.share{display:flex;width:12rem;height:1rem;margin:.2rem 0;border-radius:4px;overflow:hidden;background:var(--none)}
.share i{display:block}
td.failures{min-width:18rem;max-width:34rem;overflow-wrap:anywhere;font-size:.9em}
.badge{display:inline-block;border-radius:999px;padding:0 .6rem;font-size:.85em;font-weight:600;
background:var(--none);white-space:nowrap}
.badge.pass{background:var(--h4)}.badge.lost{background:var(--h0)}.badge.part{background:var(--h1)}
.badge.flag{background:var(--warn-paper);color:var(--warn)}
details.student{border-top:1px solid var(--rule);margin:0;padding:.35rem 0}
details.student[open]{padding-bottom:1.2rem}
details.student:target{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}
details.student>summary{color:var(--ink);overflow-wrap:anywhere}
details.student>summary b{margin:0 .6rem 0 .2rem}
details.student>summary .points{margin-right:.6rem;font-variant-numeric:tabular-nums}
.inside{margin:.6rem 0 0 1.1rem}
.case{border-left:3px solid var(--rule);padding:.1rem 0 .1rem .9rem;margin:1rem 0}
.case.lost{border-color:var(--h0)}.case.part{border-color:var(--h1)}.case.pass{border-color:var(--h4)}
.case h3{font-size:1rem;margin:0;display:flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:baseline}
.case h3 .points{font-weight:500;font-variant-numeric:tabular-nums}
.case h3 .remark{font-weight:400;font-size:.9em}
.case p{margin:.4rem 0;overflow-wrap:anywhere}
.case p.why{white-space:pre-line}.case p+p.why{margin-top:1rem}
pre{background:var(--panel);border-radius:8px;padding:.6rem .9rem;margin:.4rem 0;overflow:auto;max-height:24rem;
font:.85em/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
p code{background:var(--panel);border-radius:4px;padding:.05rem .3rem;overflow-wrap:anywhere}
pre.detail{white-space:pre-wrap;overflow-wrap:anywhere}
.hint{color:var(--warn)}
.score{font-size:2.2rem;font-weight:600;line-height:1.2;margin:1rem 0 .2rem;font-variant-numeric:tabular-nums}
.score span{font-size:1.1rem;font-weight:400;color:var(--faint)}
.meter{height:.6rem;border-radius:999px;background:var(--none);overflow:hidden;max-width:420px;margin:0 0 1.4rem}
.meter i{display:block;height:100%;background:var(--accent)}
footer.words dt{min-width:8.5rem}footer.words dd{margin-left:8.5rem}
@media print{.tall{max-height:none;overflow:visible}.tall th,.tall td{position:static!important}.bars i,.share i,.h0,.h1,.h2,.h3,.h4,.none,.meter i,.badge{print-color-adjust:exact;
-webkit-print-color-adjust:exact}}
)css";

}  // namespace warpmark
