import { createHash } from 'node:crypto'
import { CHART_STYLE } from '../../tables/charts/chart-figure.js'
import { FONTS, THEME_STYLE } from '../../tables/look/theme.js'

/**
 * The style of every page: light, dark, print, from 320 px on. Four sizes of text, one scale of distances, three tones of text;
 * colours only for state. Pages carry it in themselves, so that they are painted after one request.
 */
export const STYLESHEET = `
${THEME_STYLE}
:root{--rail:13.5rem}
*{box-sizing:border-box}
body{margin:0;font:var(--t3)/1.45 ${FONTS};color:var(--ink);background:var(--page)}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem;top:0;z-index:20;padding:var(--s2) var(--s4);background:var(--paper);color:var(--link)}
.skip:focus{left:var(--s2);top:var(--s2)}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}

/* Frame: the page, then the rail beside it. */
.shell{display:grid;grid-template-columns:var(--rail) minmax(0,1fr);min-height:100vh}
.page{grid-column:2;grid-row:1;min-width:0}
.rail{grid-column:1;grid-row:1;position:sticky;top:0;height:100vh;overflow:auto;display:flex;flex-direction:column;gap:var(--s3);padding:var(--s4) var(--s3);background:var(--band);border-right:1px solid var(--line)}
.brand{font-size:var(--t2);font-weight:650;text-decoration:none;color:var(--sectionink);padding:0 var(--s2)}
.rail nav{display:flex;flex-direction:column;gap:1px}
.rail nav a{display:flex;justify-content:space-between;gap:var(--s2);padding:5px var(--s2);border-radius:6px;text-decoration:none;color:var(--ink)}
.rail nav a:hover{background:var(--line)}
.rail nav a[aria-current]{background:var(--section);color:var(--sectionink);font-weight:600}
span.count{min-width:1.3rem;padding:0 .35rem;border-radius:1rem;font-size:var(--t4);font-weight:600;text-align:center;font-variant-numeric:tabular-nums;background:var(--warn);color:var(--warnink)}
.tabs .count{padding:0 .25rem}
.rail .foot{margin-top:auto;display:grid;gap:var(--s2);padding:0 var(--s2);font-size:var(--t4);color:var(--muted)}
.rail .foot form{display:flex;justify-content:space-between;align-items:center;gap:var(--s2);margin:0}
.rail .foot p{margin:0}
.rail .foot ul{margin:var(--s1) 0 0;padding:0;list-style:none;display:grid;gap:var(--s1)}
.fresh summary::before{content:"";display:inline-block;width:.5rem;height:.5rem;margin-right:.4rem;border-radius:50%;background:var(--goodink)}
.fresh summary.late::before{background:var(--badink);border-radius:0}
.tabs{display:none}
main{container-type:inline-size;padding:var(--s3) var(--s6) var(--s6);max-width:86rem}
main:focus{outline:0}
body:not(:has(.rail)) .shell{display:block}
.past{position:sticky;top:0;z-index:6;padding:var(--s2) var(--s6);background:var(--past);color:var(--pastink)}
.past a{color:inherit;font-weight:600}

/* Text. */
h1{margin:0 0 var(--s1);font-size:var(--t1);line-height:1.3;font-weight:620;overflow-wrap:anywhere}
h2{margin:var(--s5) 0 var(--s2);font-size:var(--t2);font-weight:620}
h3{margin:var(--s3) 0 var(--s1);font-size:var(--t3);font-weight:620}
p{margin:var(--s1) 0;max-width:80ch}
.lead{color:var(--muted);max-width:95ch}
.muted{color:var(--muted)}
.faint{color:var(--faint)}
.small{font-size:var(--t4)}
blockquote{margin:var(--s1) 0;padding-left:var(--s3);border-left:2px solid var(--line);max-width:80ch}
.prose{white-space:pre-line;overflow-wrap:anywhere}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:var(--t4)}
code{overflow-wrap:anywhere}
pre{margin:var(--s2) 0 0;line-height:1.5;white-space:pre-wrap;overflow-wrap:anywhere}
kbd{border:1px solid var(--edge);border-radius:4px;padding:0 .35rem}
time{white-space:nowrap;font-variant-numeric:tabular-nums}
ul.plain{margin:0;padding:0;list-style:none}
.flags{list-style:none;padding:0}
.flags li{margin:var(--s1) 0}
.texts dt{font-weight:600;margin-top:var(--s3)}
.texts dd{margin:0;max-width:90ch}
.more{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s5);margin-top:var(--s5)}
summary{cursor:pointer}
summary h2{display:inline;margin:0}

/* Notices, badges, tags. */
.notice{padding:var(--s2) var(--s3);margin:var(--s3) 0;border-left:3px solid var(--edge);background:var(--band);max-width:95ch}
.notice.warn{background:var(--warn);color:var(--warnink);border-color:var(--warnink)}
.notice.bad{background:var(--bad);color:var(--badink);border-color:var(--badink)}
.notice.good{background:var(--good);color:var(--goodink);border-color:var(--goodink)}
.notice.warn a,.notice.bad a,.notice.good a{color:inherit}
.empty{max-width:none}
.badge,.tag{display:inline-block;padding:0 .45rem;border-radius:5px;font-size:var(--t4);line-height:1.5;white-space:nowrap;background:var(--band);color:var(--muted);box-shadow:inset 0 0 0 1px var(--line)}
.badge.good{background:var(--good);color:var(--goodink);box-shadow:none}
.badge.warn{background:var(--warn);color:var(--warnink);box-shadow:none}
.badge.bad{background:var(--bad);color:var(--badink);box-shadow:none}
.badge+.badge,td .badge{margin-left:.15rem}
td>div>.badge:first-child{margin-left:0}
.tags{display:flex;flex-wrap:wrap;gap:var(--s1)}
.tag summary{min-height:24px;display:flow-root;padding:2px 0}
details.tag{white-space:normal;max-width:22rem}
details.tag[open]{flex-basis:100%;white-space:normal}
.over{color:var(--badink);font-weight:600}

/* Figures above a page. */
.stats{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s6);margin:var(--s4) 0;padding:0}
.stats div{margin:0}
.stats dt{font-size:var(--t4);color:var(--muted)}
.stats dd{margin:0;font-size:var(--t1);font-weight:600;line-height:1.25;font-variant-numeric:tabular-nums}
.stats dd span{white-space:nowrap}
.stats dd small{font-size:var(--t4);font-weight:400;color:var(--muted)}

/* Panels and groups. */
.panel,.card{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:var(--s3) var(--s4);margin:var(--s3) 0}
.panel>h2:first-child,.card>h2:first-child{margin-top:0}
.card ul{margin:var(--s1) 0;padding-left:1.1rem}
.narrow{max-width:26rem;margin:12vh auto 0}
.group{margin:var(--s4) 0}
.group>summary{padding:var(--s2) 0;border-bottom:1px solid var(--line)}
.group>summary .count{margin-left:var(--s2)}
.beside{display:grid;grid-template-columns:minmax(0,8fr) minmax(0,5fr);gap:var(--s5);align-items:start}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:var(--s1) var(--s5)}
.columns li,.reasons li{margin:2px 0}
.reasons{margin:var(--s1) 0;padding-left:1.1rem}

/* Forms. */
label{font-weight:600}
.choice{font-weight:400;display:block;padding-left:1.6rem;text-indent:-1.6rem}
.choice>*{text-indent:0}
.choice input{margin:0 .5rem 0 0;vertical-align:-1px}
.field{display:grid;gap:var(--s1);margin:var(--s3) 0}
input,select,textarea,button,.button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:6px;padding:4px 10px;min-height:2rem;max-width:100%}
input[type=checkbox],input[type=radio]{min-height:0;accent-color:var(--brand)}
input[size]{justify-self:start}
button,.button{cursor:pointer;font-weight:550;text-decoration:none;display:inline-block;white-space:nowrap}
button:hover,.button:hover{background:var(--band)}
button.primary,.button.primary{background:var(--brand);border-color:var(--brand);color:var(--brandink)}
button.primary:hover,.button.primary:hover{filter:brightness(1.15)}
button.quiet,.button.quiet{border-color:transparent;background:none;color:var(--link)}
td .button,td button{min-height:0;padding:1px 8px}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2);margin:var(--s3) 0}
.actions form{margin:0}
.filters{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:end;margin:var(--s3) 0}
.filters .field{margin:0;gap:2px;max-width:100%;grid-template-columns:minmax(0,auto)}
.filters label{font-weight:400;font-size:var(--t4);color:var(--muted)}
.listhead{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2) var(--s5);margin-bottom:var(--s2)}
.listhead h1,.listhead .filters{margin:0}
.listhead .field{display:flex;align-items:center;gap:var(--s2)}
.listhead :is(input,select,button){min-height:1.8rem;padding-top:2px;padding-bottom:2px}
.listhead+.table{margin-top:0}
.listhead+.table>.tall{max-height:calc(100vh - 3.5rem)}
fieldset{border:0;border-top:1px solid var(--line);padding:var(--s2) 0;margin:var(--s3) 0 0;min-width:0}
legend{font-weight:600;padding:0 var(--s2) 0 0}
.groups{display:grid;grid-template-columns:2fr 3fr;gap:var(--s4)}
.groups .field{margin:var(--s1) 0;grid-template-columns:minmax(0,1fr) minmax(7rem,13rem);align-items:center;gap:var(--s2)}
.groups .field label{font-weight:400}
.groups .field input,.groups .field select{width:100%}
.groups .wide .field{grid-template-columns:minmax(0,1fr) 9rem}
.field :is(.small,input,select){font-weight:400}
fieldset.wide{grid-column:1/-1;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:0 var(--s5)}
dialog{border:1px solid var(--edge);border-radius:8px;background:var(--paper);color:var(--ink);padding:var(--s4) var(--s5)}
dialog::backdrop{background:#0008}
dialog h2{margin:0 0 var(--s2)}
dialog dl{display:grid;grid-template-columns:auto 1fr;gap:var(--s1) var(--s4)}
dialog dd{margin:0}
dialog form{margin-top:var(--s3)}

/* Tables: rows of 36 px, no boxes, a head that stays. */
.table{margin:var(--s2) calc(-1*var(--s2)) var(--s4)}
.scroll{overflow-x:auto}
.tall{max-height:82vh;overflow:auto}
table{border-collapse:separate;border-spacing:0;width:100%;line-height:1.35}
td,th{padding:8px var(--s2);text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:break-word}
tbody tr:hover>*{background:var(--band)}
thead th{position:sticky;top:0;z-index:2;padding-top:6px;padding-bottom:6px;background:var(--page);color:var(--muted);font-size:var(--t4);font-weight:500;white-space:nowrap;vertical-align:bottom}
thead th a{color:inherit;text-decoration:none}
thead th a:hover{text-decoration:underline}
thead th.wide{white-space:normal}
.panel thead th{background:var(--paper)}
.line .small{white-space:normal}
.until{white-space:nowrap}
#rfqs td{padding-top:7px;padding-bottom:7px}
#rfqs .badge{line-height:1.35}
th[aria-sort=ascending] a::after{content:" ↑"}
th[aria-sort=descending] a::after{content:" ↓"}
.r{text-align:right;font-variant-numeric:tabular-nums}
td.r,.line{white-space:nowrap}
td.wide>div{min-width:12rem}
td.clip{max-width:0;width:17%}
td.clip:first-child{width:24%}
td.clip>div{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.phone{display:none}
td a{text-decoration:none}
td a:hover,td .small a{text-decoration:underline}
.under{display:flex;flex-wrap:wrap;justify-content:space-between;gap:var(--s1) var(--s4);padding:var(--s2);font-size:var(--t4);color:var(--muted)}
.table>p{padding:0 var(--s2)}
.pages{display:flex;gap:var(--s3)}
tr.chosen>*{background:var(--section)}

/* Tables of lists: columns of less weight where there is room, cards where there is little. */
.moment,.date,.state,.id,td.action{white-space:nowrap}
td.anywhere{overflow-wrap:anywhere}
td .clip{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;max-width:26rem}
td:focus-within .clip{display:block}
td.action{text-align:right}
.action form{display:flex;gap:var(--s1);justify-content:flex-end;margin:0}
@container (min-width:40rem) and (max-width:59.99rem){.from-wide,.from-widest{display:none}}
@container (min-width:60rem) and (max-width:77.99rem){.from-widest{display:none}}
@container (max-width:39.99rem){
  table.list,.list :is(tbody,tr,td){display:block}
  .list thead,.list td:is(.empty,.minor){display:none}
  .list tr{padding:var(--s2) 0;border-bottom:1px solid var(--line)}
  .list td{display:flex;gap:var(--s3);border:0;padding:2px 0;text-align:left;white-space:normal;overflow-wrap:anywhere}
  .list td[data-label]::before{content:attr(data-label);flex:0 0 6.5rem;color:var(--muted);font-size:var(--t4)}
  .list td .clip{display:block;max-width:none}
  .list tr:hover>*{background:none}
}

/* Today: an RFQ in two tight lines. */
#today table{table-layout:fixed}
#today td{position:relative;padding-top:2px;padding-bottom:2px;line-height:1.2;vertical-align:middle}
#today td.clip{width:auto}
#today td.clip>div>div{overflow:hidden;text-overflow:ellipsis}
#today td :is(.two,.why:only-child){display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;white-space:normal}
#today .over{font-weight:500}
#today td:first-child .small{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.stats:has(+#today){margin:var(--s2) 0}
#today :is(th,td):nth-child(1){width:9.2rem;padding-right:0}
#today :is(th,td):nth-child(4){width:6.6rem}
#today :is(th,td):nth-child(5){width:7.3rem}
#today :is(th,td):nth-child(7){width:9rem}
#today .tags{gap:1px var(--s1)}
#today .badge{margin:0;line-height:1.15}
#today .button{min-height:0;padding-top:2px;padding-bottom:2px;font-size:var(--t4)}

/* Changes. */
.changes{margin:0;padding:0;list-style:none}
.changes>li{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:0 var(--s3);padding:var(--s2) 0;border-bottom:1px solid var(--line)}
.changes h3,.changes .when{margin:0}
.changes .when{display:flex;flex-direction:column}
.changes h3 a{text-decoration:none}
.changes h3 a:hover{text-decoration:underline}
.changes h3 .small{font-weight:400}
.changes li li{margin:2px 0;max-width:95ch;overflow-wrap:anywhere}

/* Charts. */
.chart{margin:0;min-width:0}

/* An RFQ. */
.since{max-width:none;margin:0}
.facts p{max-width:none;margin:2px 0}
.details{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,11rem),1fr));gap:var(--s2) var(--s4);margin:var(--s3) 0}
.details dt{font-size:var(--t4);color:var(--muted)}
.details dd{margin:0;overflow-wrap:anywhere}
.below section{white-space:normal;padding:0 var(--s2) var(--s2)}
.charts{display:flex;flex-wrap:wrap;gap:var(--s5)}
.charts .chart{flex:1 1 20rem}
.recommendation{border-left:3px solid var(--edge);padding-left:var(--s4);margin:var(--s4) 0}
.recommendation.good{border-left-color:var(--goodink)}
.recommendation.warn{border-left-color:var(--warnink)}
.recommendation.bad{border-left-color:var(--badink)}
.recommendation .columns{grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))}
.recommendation p{max-width:none}
.recommendation h2{margin:0;font-size:var(--t4);color:var(--muted);font-weight:500}
.recommendation .headline{font-size:var(--t1);font-weight:600;line-height:1.3;margin:2px 0}
.timestrip{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s3);margin:var(--s2) 0;font-size:var(--t4)}
.timestrip .timestrip{flex:0 1 auto;margin:0;min-width:0;max-width:100%}
.timestrip .timestrip:first-of-type{flex:1 1 16rem}
.timestrip input[type=date]{min-height:1.7rem;padding:1px 6px;font-size:var(--t4)}
.timestrip select{flex:1 1 14rem;min-width:0;min-height:1.7rem;padding:1px 6px;font-size:var(--t4)}
.timestrip button{min-height:1.7rem;padding:1px 8px}
.timestrip input[type=range]{flex:1 1 10rem;min-width:8rem;min-height:1.2rem;padding:0;accent-color:var(--brand)}
.timestrip label{font-weight:400;color:var(--muted)}
.newer{margin:0 0 var(--s4)}

@media (max-width:64rem){
  .beside,.groups{grid-template-columns:minmax(0,1fr)}
}
@media (max-width:56rem){
  .shell{display:block}
  main{padding:var(--s4) var(--s4) var(--s5)}
  .past{padding:var(--s2) var(--s4)}
  .rail{position:static;height:auto;border:0;border-top:1px solid var(--line);padding-bottom:5rem}
  .rail nav{display:grid;grid-template-columns:1fr 1fr;gap:0 var(--s4)}
  .rail nav a{padding:10px var(--s2)}
  .rail .foot{margin-top:0}
  .tabs{display:flex;position:fixed;inset:auto 0 0;z-index:10;background:var(--band);border-top:1px solid var(--line);padding-bottom:env(safe-area-inset-bottom)}
  .tabs a{flex:1;padding:12px 2px;text-align:center;font-size:var(--t4);text-decoration:none;color:var(--muted)}
  .tabs a[aria-current]{color:var(--sectionink);font-weight:650;box-shadow:inset 0 2px 0 var(--brand)}
  #rfqs thead,#rfqs td.unknown{display:none}
  #rfqs table,#rfqs tbody,#rfqs tr{display:block}
  #rfqs tr{padding:var(--s2);border-bottom:1px solid var(--line)}
  #rfqs td{display:inline;padding:0;border:0;white-space:normal}
  #rfqs td:first-child{display:block;width:auto;max-width:none;font-weight:550}
  #rfqs td>div{display:inline;white-space:normal}
  #rfqs td:nth-child(n+3)>div::before{content:" · ";color:var(--faint)}
  #rfqs .phone{display:inline}
  #rfqs .scroll{max-height:none;overflow:visible}
  #today :is(table,tbody,td){display:block}
  #today thead{display:none}
  #today tr{display:grid;grid-template-columns:15.5rem 7rem minmax(0,1fr) auto;gap:2px var(--s2);align-items:baseline;padding:var(--s2);border-bottom:1px solid var(--line)}
  #today td:nth-child(n){width:auto;max-width:none;min-width:0;padding:0;border:0;text-align:left}
  #today td::before{content:none}
  #today td:nth-child(-n+5) div{display:inline}
  #today :is(td:nth-child(2),td:nth-child(3),td:nth-child(2)>div,td:nth-child(3)>div){display:contents}
  #today td:nth-child(2)>div>div:first-child{display:block;grid-area:1/1/2/4;white-space:nowrap;font-weight:550}
  #today td:nth-child(2) .small{grid-area:3/1}
  #today td:nth-child(1){grid-area:2/1}
  #today td:nth-child(1) .small,#today td:nth-child(4) .small{margin-left:var(--s2)}
  #today td .name{grid-area:2/2/3/4}
  #today td .why{grid-area:3/2/4/5}
  #today td .tags{grid-area:2/4;justify-self:end}
  #today td:nth-child(4){grid-area:3/3/4/5;font-size:var(--t4)}
  #today td:nth-child(5){grid-area:3/2;font-size:var(--t4)}
  #today td:nth-child(6){grid-area:4/2/5/5}
  #today td:nth-child(7){grid-area:1/4;justify-self:end}
  #today td.unknown,#today td:nth-child(5) .small{display:none}
}
@media (max-width:40rem){
  .changes>li{grid-template-columns:minmax(0,1fr)}
  .changes .when{display:block}
  td.wide>div,.cards td>div{min-width:0}
  .cards td>div{overflow-wrap:anywhere}
  .scroll,.tall{max-height:none;overflow:visible}
  table.cards,.cards tbody,.cards tr,.cards td{display:block}
  .cards thead,.cards td.unknown{display:none}
  .cards tr{border-bottom:1px solid var(--line);padding:var(--s2) 0}
  .cards td{display:flex;gap:var(--s3);border:0;padding:2px 0;text-align:left;white-space:normal!important}
  .cards tr:hover>*{background:none}
  .cards td::before{content:attr(data-label);flex:0 0 6.5rem;color:var(--faint);font-size:var(--t4)}
  .phone{display:inline}
  .table{margin-left:0;margin-right:0}
  .cards td.clip:nth-child(n){max-width:none;width:auto}
  .cards td.clip>div{white-space:normal}
  .cards.lines td,.cards.lines td>div{display:inline}
  .cards.lines td:first-child{display:block;font-weight:550}
  .cards.lines td::before{content:none}
  .cards.lines td.unknown{display:none}
  .cards th[scope=row]{display:block;border:0;padding:2px 0}
  .cards.lines td:nth-child(n+3)>div:not(:empty)::before{content:" · ";color:var(--faint)}
  .cards.lines td:nth-child(n+3)>div:not(:empty):has(>details)::before{content:none}
  .cards.lines td:nth-child(n+2) a{text-decoration:underline}
  .cards .button{white-space:normal}
  .listhead form{width:100%}
  .listhead .field{flex:1 1 14rem}
  .listhead label{flex:0 0 5rem}
  .listhead .field :is(input,select){flex:1;min-width:0}
  .cards td.nophone{display:none!important}
  #today tr{grid-template-columns:auto auto minmax(0,1fr) auto}
  #today td:nth-child(1){grid-area:2/1/3/4}
  #today td:nth-child(3) .name,#today .badge+.badge{display:none}
  .stats{gap:var(--s2) var(--s5)}
}
@media print{
  .shell{display:block}
  .rail,.tabs,.skip,.noprint{display:none!important}
  main{padding:0;max-width:none}
  .tall{max-height:none;overflow:visible}
  thead th{position:static}
  thead{display:table-header-group}
  tr,.chart{break-inside:avoid}
  tr.below{break-inside:auto}
  details:not([open],.reason){display:none}
  body{font-size:11px}
  a{color:inherit;text-decoration:none}
  .panel,.card{border:0;padding:0}
  @page{size:A4 landscape;margin:12mm}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
${CHART_STYLE}`
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*\n\s*/g, '')

/** The style sheet as the value of a `Content-Security-Policy`: no other style is applied. */
export const STYLESHEET_HASH = `sha256-${createHash('sha256').update(STYLESHEET).digest('base64')}`
