// The style sheet of HTML reports.
#pragma once

namespace warpmark {

// The colours c0 to c7 are those of Okabe and Ito, which the colour-blind tell apart, and lighter
// ones of the same hues for dark pages.
constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--paper:#fdfdfc;--panel:#f4f4f1;--ink:#1d1f21;--faint:#8b8f94;
--rule:#dcdcd7;--bad:#b3261e;--accent:#0b6e4f;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b0568a;
--c4:#b07d00;--c5:#2c8fc4;--c6:#5b5b5b;--c7:#7a4fb5}
@media (prefers-color-scheme:dark){:root{--paper:#16181a;--panel:#1e2124;--ink:#e6e6e3;
--faint:#8a8f95;--rule:#34383c;--bad:#ff8a80;--accent:#5cc9a3;--c0:#56b4e9;--c1:#ff9e4a;--c2:#3fd1a5;
--c3:#e59ac6;--c4:#f0c04a;--c5:#8fd0f5;--c6:#b8b8b8;--c7:#c2a5f0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:2.2rem 1.6rem 4rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.25rem;margin:3rem 0 .8rem;padding-top:.9rem;border-top:2px solid var(--rule)}
.lead{color:var(--faint);margin:0 0 1.6rem}
code,td.case{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
.scroll{overflow-x:auto;width:max-content;max-width:100%}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;vertical-align:top}
thead th{font-weight:600;border-bottom:1px solid var(--faint);white-space:nowrap;vertical-align:bottom}
tbody tr{border-bottom:1px solid var(--rule)}
tbody tr:hover{background:var(--panel)}
td.number,th.number{text-align:right;white-space:nowrap}
td.case,td.mode{white-space:nowrap}
td.time{font-weight:600}
td.notes,ul.notes{color:var(--faint)}
td.notes{min-width:12rem}
.group{border-left:1px solid var(--rule)}
td.bad{color:var(--bad)}
td.best{color:var(--accent);font-weight:600}
table.context{background:var(--panel);border-radius:8px}
table.context th{font-weight:500;color:var(--faint);white-space:nowrap}
table.context td{overflow-wrap:anywhere}
table.context tr{border:0}
nav{margin:1.4rem 0 0}
nav a{color:var(--accent);display:inline-block;margin-right:1.1rem;text-decoration:none}
nav a:hover{text-decoration:underline}
.pictures{display:flex;flex-wrap:wrap;gap:1.2rem;margin:0 0 1.2rem}
figure{margin:0;flex:1 1 480px;max-width:600px}
figcaption{font-weight:600;margin:0 0 .2rem}
svg{width:100%;height:auto;display:block}
svg text{font-family:inherit!important}
details{margin:.8rem 0 0}
summary{cursor:pointer;color:var(--accent)}
details figure{max-width:700px;margin-top:.6rem}
.remark{color:var(--faint)}
footer{margin-top:3rem;padding-top:.9rem;border-top:2px solid var(--rule);color:var(--faint);font-size:.9em}
footer dt{font-weight:600;float:left;clear:left;min-width:6.5rem}
footer dd{margin:0 0 .15rem 6.5rem}
@media print{body{max-width:none;padding:0}details{break-inside:avoid}}
)css";

}  // namespace warpmark
