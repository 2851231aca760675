import { createHash } from 'node:crypto'
import { CHART_STYLE } from '../../tables/charts/chart.js'
import { FONTS, THEME_STYLE } from '../../tables/look/colours.js'

/**
 * The style of every page: light, dark, print, from 320 px on. Four sizes of text, one scale of distances; colours only for state.
 * Pages carry it in themselves, so that they are painted after one request.
 */
export const STYLESHEET = `
${THEME_STYLE}
*{box-sizing:border-box}
body{margin:0;font:var(--t3)/1.45 ${FONTS};color:var(--ink);background:var(--page)}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999rem;top:0;z-index:20;padding:var(--s2) var(--s4);background:var(--paper)}
.skip:focus{left:var(--s2);top:var(--s2)}

/* Frame: the rail with all pages beside the page, or above it where there is little room. */
.shell{display:grid;grid-template-columns:11.5rem minmax(0,1fr);min-height:100vh}
.rail{position:sticky;top:0;height:100vh;overflow:auto;display:flex;flex-direction:column;gap:var(--s3);padding:var(--s4) var(--s3);background:var(--band);border-right:1px solid var(--line)}
.brand{font-size:var(--t2);font-weight:650;text-decoration:none;color:var(--sectionink);padding:0 var(--s2)}
.rail input{width:100%}
.rail nav{display:grid;gap:1px}
.rail nav a{display:flex;justify-content:space-between;gap:var(--s1);padding:5px var(--s2);border-radius:6px;text-decoration:none;color:var(--ink)}
.rail nav a:hover{background:var(--line)}
.rail nav a[aria-current]{background:var(--section);color:var(--sectionink);font-weight:600}
.waiting{padding:0 .4rem;border-radius:1rem;font-size:var(--t4);font-weight:600;font-variant-numeric:tabular-nums;background:var(--warn);color:var(--warnink)}
.foot{margin-top:auto;display:grid;gap:var(--s2);padding:0 var(--s2);font-size:var(--t4);color:var(--muted)}
.foot form{display:flex;justify-content:space-between;align-items:center;gap:var(--s2);margin:0}
.foot p{margin:var(--s1) 0}
.fresh::before{content:"";display:inline-block;width:.5rem;height:.5rem;margin-right:.4rem;border-radius:50%;background:var(--goodink)}
.fresh.late::before{background:var(--badink);border-radius:0}
main{container-type:inline-size;padding:var(--s3) var(--s5) var(--s6);max-width:112rem}
main:focus{outline:0}
.past{position:sticky;top:0;z-index:6;padding:var(--s2) var(--s5);background:var(--past);color:var(--pastink)}
.past a{color:inherit;font-weight:600}

/* Text. */
h1{margin:0 0 var(--s1);font-size:var(--t1);line-height:1.3;font-weight:620;overflow-wrap:anywhere}
h2{margin:var(--s5) 0 var(--s2);font-size:var(--t2);font-weight:620}
h3{margin:var(--s3) 0 var(--s1);font-size:var(--t3);font-weight:620}
p,blockquote{margin:var(--s1) 0;max-width:80ch}
blockquote{padding-left:var(--s3);border-left:2px solid var(--line)}
summary{cursor:pointer}
summary h2{display:inline;margin:0}
time{white-space:nowrap;font-variant-numeric:tabular-nums}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:var(--t4);overflow-wrap:anywhere}
pre{margin:var(--s2) 0 0;line-height:1.5;white-space:pre-wrap}
.lead{color:var(--muted);max-width:95ch}
.muted{color:var(--muted)}
.small{font-size:var(--t4)}
.line{white-space:nowrap}
.over{color:var(--badink);font-weight:600}
:is(p,blockquote).prose{white-space:pre-line;overflow-wrap:anywhere}
.plain,.flags{margin:0;padding:0;list-style:none}
.reasons{margin:var(--s1) 0;padding-left:1.1rem}
:is(.reasons,.flags,.matters) li{margin:var(--s1) 0}
.pairs{margin:var(--s2) 0}
.pairs>div{display:grid;grid-template-columns:8rem minmax(0,1fr);gap:0 var(--s3);padding:1px 0}
.pairs dt{color:var(--muted);font-size:var(--t4);line-height:1.7}
.pairs dd{margin:0;max-width:90ch;overflow-wrap:anywhere}
.texts dt{font-weight:600;margin-top:var(--s3)}
.texts dd{margin:0;max-width:90ch}
.facts p{max-width:none;margin:2px 0}
.more{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s5);margin-top:var(--s5)}

/* Notices, and words with the colour of a state. */
.notice{padding:var(--s2) var(--s3);margin:var(--s3) 0;border-left:3px solid var(--edge);background:var(--band);max-width:95ch}
.notice a{color:inherit}
.badge{display:inline-block;padding:0 .45rem;border-radius:5px;font-size:var(--t4);line-height:1.5;white-space:nowrap;background:var(--band);color:var(--muted);box-shadow:inset 0 0 0 1px var(--line)}
.notice.good,.badge.good{background:var(--good);color:var(--goodink);border-color:currentcolor;box-shadow:none}
.notice.warn,.badge.warn{background:var(--warn);color:var(--warnink);border-color:currentcolor;box-shadow:none}
.notice.bad,.badge.bad{background:var(--bad);color:var(--badink);border-color:currentcolor;box-shadow:none}

/* Figures above a page, panels, columns of text. */
.stats{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s6);margin:var(--s3) 0}
.stats dt{font-size:var(--t4);color:var(--muted)}
.stats dd{margin:0;font-size:var(--t1);font-weight:600;line-height:1.25;font-variant-numeric:tabular-nums}
.stats small{font-size:var(--t4);font-weight:400;color:var(--muted)}
.panel,.card{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:var(--s3) var(--s4);margin:var(--s3) 0}
:is(.panel,.card)>h2:first-child{margin-top:0}
.narrow{max-width:26rem;margin:12vh auto 0}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:var(--s1) var(--s5)}
.recommendation{border-left:3px solid var(--edge);padding-left:var(--s4);margin:var(--s4) 0}
.recommendation.good{border-color:var(--goodink)}
.recommendation.warn{border-color:var(--warnink)}
.recommendation.bad{border-color:var(--badink)}
.recommendation p{max-width:none}
.recommendation h2{margin:0;font-size:var(--t4);color:var(--muted);font-weight:500}
.headline{font-size:var(--t1);font-weight:600;line-height:1.3;margin:2px 0}
.details{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,9rem),1fr));gap:var(--s2) var(--s4);margin:var(--s3) 0}
.details dt{font-size:var(--t4);color:var(--muted)}
.details dd{margin:0;overflow-wrap:anywhere}
.charts{display:flex;flex-wrap:wrap;gap:var(--s5)}
.chart{margin:0;min-width:0;flex:1 1 20rem}

/* Forms. */
label{font-weight:600}
.choice{font-weight:400;display:block;padding-left:1.6rem;text-indent:-1.6rem}
.choice input{margin:0 .5rem 0 0;vertical-align:-1px}
.field{display:grid;gap:var(--s1);margin:var(--s3) 0}
.field :is(.small,input,select){font-weight:400}
input,select,textarea,button,.button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:6px;padding:4px 10px;min-height:2rem;max-width:100%}
input[type=checkbox]{min-height:0;accent-color:var(--brand)}
input[size]{justify-self:start}
button,.button,.step a{cursor:pointer;font-weight:550;text-decoration:none;display:inline-block;white-space:nowrap}
button:hover,.button:hover{background:var(--band)}
.primary{background:var(--brand);border-color:var(--brand);color:var(--brandink)}
.primary:hover{background:var(--brand);filter:brightness(1.15)}
.quiet{border-color:transparent;background:none;color:var(--link)}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2);margin:var(--s3) 0}
.actions form{margin:0}
.listhead{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2) var(--s5);margin-bottom:var(--s2)}
.listhead>*{margin:0}
.filters{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2) var(--s3);margin:var(--s2) 0}
.filters .field{display:flex;align-items:center;gap:var(--s2);margin:0;max-width:100%}
.filters label,label.field,.choice{font-weight:400;color:var(--muted)}
.filters :is(input,select,button){min-height:1.8rem;padding-top:2px;padding-bottom:2px}
.filters input{width:9rem}
fieldset{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:0 var(--s5);border:0;border-top:1px solid var(--line);padding:var(--s2) 0;margin:var(--s3) 0 0;min-width:0}
fieldset .field{margin:var(--s1) 0;grid-template-columns:minmax(0,1fr) 9rem;align-items:center;gap:var(--s2)}
fieldset :is(input,select){width:100%}

/* Tables: no boxes, a head that stays; columns of less weight where there is room; cards where there is little. */
.table{margin:var(--s2) calc(-1*var(--s2)) var(--s4)}
table{border-collapse:separate;border-spacing:0;width:100%;line-height:1.35}
td,th{padding:7px var(--s2);text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:hover>*{background:var(--band)}
thead th{position:sticky;top:0;z-index:2;background:var(--page);color:var(--muted);font-size:var(--t4);font-weight:500;white-space:nowrap;vertical-align:bottom}
.panel thead th{background:var(--paper)}
thead a{color:inherit;text-decoration:none}
thead a:hover{text-decoration:underline}
[aria-sort=ascending] a::after{content:" ↑"}
[aria-sort=descending] a::after{content:" ↓"}
.r{text-align:right;font-variant-numeric:tabular-nums}
td:is(.r,.moment,.date,.id,.action){white-space:nowrap}
td.state .badge{margin:0 .15rem .15rem 0}
td.anywhere{overflow-wrap:anywhere}
td a{text-decoration:none}
td a:hover{text-decoration:underline}
td .clip{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;max-width:22rem}
.prose .clip{max-width:44rem}
:is(.r,.moment,.date,.id,.state,.step){width:1%}
td:focus-within .clip{display:block}
td :is(button,.button),.step a{min-height:0;padding:1px 8px;border:1px solid var(--edge);border-radius:6px}
.action{text-align:right}
.action form{display:flex;justify-content:flex-end;gap:var(--s1);margin:0}
tr.chosen>*{background:var(--section)}
.below td{padding:0 var(--s2) var(--s4)}
.empty{color:var(--muted)}
.under{display:flex;flex-wrap:wrap;justify-content:space-between;gap:var(--s1) var(--s4);padding:var(--s2);font-size:var(--t4);color:var(--muted)}
@container (min-width:44rem) and (max-width:63.99rem){.from-wide,.from-wider,.from-widest{display:none}}
@container (min-width:64rem) and (max-width:77.99rem){.from-wider,.from-widest{display:none}}
@container (min-width:78rem) and (max-width:97.99rem){.from-widest{display:none}}
@container (max-width:43.99rem){
  .table{margin-left:0;margin-right:0}
  .cards,.cards tbody{display:block}
  .cards thead,.cards td:is(.empty,.minor){display:none}
  .cards tr{display:grid;grid-template-columns:1fr 1fr;grid-auto-flow:dense;gap:0 var(--s3);padding:var(--s2) 0;border-bottom:1px solid var(--line)}
  .cards td{width:auto;display:flex;align-items:baseline;gap:var(--s2);border:0;padding:2px 0;text-align:left;white-space:normal;overflow-wrap:anywhere}
  .cards td:is(.text,.moment,.action),.below td{grid-column:1/-1}
  .cards td[data-label]::before{content:attr(data-label);flex:none;color:var(--muted);font-size:var(--t4)}
  .cards td .clip{display:block;max-width:none}
  .cards td.state{flex-wrap:wrap}
  .cards tr>*,.cards tr:hover>*{background:none}
  .cards tr.chosen{background:var(--section)}
  .filters .field{flex:1 1 9rem}
  .filters .field :is(input,select){flex:1;width:0;min-width:4rem}
}
@media (max-width:62rem){
  .shell{display:block}
  .rail{position:static;height:auto;flex-flow:row wrap;align-items:center;gap:var(--s2) var(--s4);padding:var(--s2) var(--s4);border:0;border-bottom:1px solid var(--line)}
  .rail search{order:1;flex:1 1 8rem}
  .rail nav{order:3;flex:1 0 100%;grid-template-columns:repeat(auto-fit,minmax(5.3rem,1fr))}
  .foot{order:2;margin:0;padding:0}
  main{padding:var(--s3) var(--s4) var(--s5)}
  .past{padding:var(--s2) var(--s4)}
}
@media print{
  .shell{display:block}
  .rail,.skip,.noprint{display:none!important}
  main{padding:0;max-width:none}
  thead th{position:static}
  thead{display:table-header-group}
  tr,.chart{break-inside:avoid}
  .below{break-inside:auto}
  td .clip{display:block}
  details:not([open]){display:none}
  html{font-size:12.5px}
  a{color:inherit;text-decoration:none}
  .panel,.card{border:0;padding:0}
  @page{size:A4 landscape;margin:12mm}
}
${CHART_STYLE}`
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*\n\s*/g, '')

/** The style sheet as the value of a `Content-Security-Policy`: no other style is applied. */
export const STYLESHEET_HASH = `sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}`
