import { createHash } from 'node:crypto'
import { CHART_STYLE } from '../../presentation/chart-svg.js'
import { FONTS, THEME_STYLE } from '../../presentation/theme.js'

/** The style of every page: light, dark, print, from 320 px on. */
export const STYLESHEET = `${THEME_STYLE}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 ${FONTS};color:var(--ink);background:var(--page)}
a{color:var(--link);text-underline-offset:.15em}a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-999rem;top:0;z-index:20;padding:.6rem 1rem;background:var(--paper);color:var(--link)}.skip:focus{left:.5rem;top:.5rem}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.wrap{max-width:90rem;margin:0 auto;padding:0 1.5rem}
.top{background:var(--brand);color:var(--brandink)}.top .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem 1.2rem;padding-top:.45rem;padding-bottom:.45rem}
.top a{color:inherit}.top :focus-visible{outline-color:var(--brandink)}.brand{font-weight:650;font-size:1.05rem;text-decoration:none;letter-spacing:.01em}
.top nav{flex:1 1 auto;display:flex;flex-wrap:wrap;gap:.1rem}.top nav a{padding:.35rem .6rem;border-radius:.35rem;text-decoration:none}.top nav a:hover{background:#ffffff24}.top nav a[aria-current]{background:#ffffff33;font-weight:600}
.top form{display:flex;gap:.4rem;align-items:center;margin:0}.top .who{opacity:.92}
.top button{background:transparent;color:inherit;border-color:#ffffff8c}
main.wrap{padding-top:1.3rem;padding-bottom:2.5rem}main:focus{outline:0}
h1{margin:0 0 .3rem;font-size:1.55rem;line-height:1.25;color:var(--sectionink);overflow-wrap:anywhere}h2{margin:2rem 0 .5rem;font-size:1.15rem;color:var(--sectionink)}h3{margin:1.2rem 0 .3rem;font-size:1rem}
p{margin:.3rem 0;max-width:75ch}.lead{color:var(--muted);max-width:95ch}.muted{color:var(--muted)}.small{font-size:.87rem}
.fresh{display:flex;flex-wrap:wrap;gap:.2rem .9rem;padding-top:.4rem;padding-bottom:.4rem;font-size:.87rem;color:var(--muted)}.freshline{border-bottom:1px solid var(--line);background:var(--paper)}
.past{background:var(--past);color:var(--pastink);border-bottom:1px solid var(--line)}.past .wrap{padding-top:.55rem;padding-bottom:.55rem}.past a{color:inherit;font-weight:600}
.notice{padding:.6rem .9rem;margin:.8rem 0;border-left:4px solid var(--edge);background:var(--band);max-width:95ch}.notice.warn{background:var(--warn);color:var(--warnink);border-color:var(--warnink)}.notice.bad{background:var(--bad);color:var(--badink);border-color:var(--badink)}.notice.good{background:var(--good);color:var(--goodink);border-color:var(--goodink)}
.notice.warn a,.notice.bad a,.notice.good a{color:inherit}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.55rem;padding:1rem 1.2rem;margin:.9rem 0}
.card>h2:first-child{margin-top:0}input[size]{justify-self:start}
.narrow{max-width:27rem;margin:2.5rem auto}
label{font-weight:600}.field{display:grid;gap:.25rem;margin:.7rem 0}
input,select,button,.button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:.4rem;padding:.35rem .6rem;min-height:2.15rem;max-width:100%}
input[type=checkbox],input[type=radio]{min-height:0}
button,.button{cursor:pointer;font-weight:600;text-decoration:none;display:inline-block}button:hover,.button:hover{background:var(--band)}button.primary,.button.primary{background:var(--brand);border-color:var(--brand);color:var(--brandink)}button.primary:hover,.button.primary:hover{filter:brightness(1.15)}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
.filters{display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end;margin:.8rem 0}.filters .field{margin:0}.filters label{font-weight:400;font-size:.85rem;color:var(--muted)}
.table{margin:.7rem 0 1.2rem}.tall{max-height:82vh}.line{white-space:nowrap}.line .small,thead th.wide{white-space:normal}td.wide>div{min-width:13rem}.scroll{overflow:auto;border:1px solid var(--line);border-radius:.55rem;background:var(--paper)}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.89rem;line-height:1.4}
td,th{padding:.42rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:break-word}tbody tr:last-child>*{border-bottom:0}tbody tr:hover>*{background:var(--band)}
thead th{position:sticky;top:0;z-index:2;background:var(--section);color:var(--sectionink);font-weight:600;white-space:nowrap;vertical-align:bottom}thead th a{color:inherit;text-decoration:none}thead th a:hover{text-decoration:underline}
th[aria-sort=ascending] a::after{content:" ↑"}th[aria-sort=descending] a::after{content:" ↓"}
.r{text-align:right;font-variant-numeric:tabular-nums}td.r{white-space:nowrap}time{white-space:nowrap;font-variant-numeric:tabular-nums}
.under{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.3rem 1rem;padding:.35rem .2rem;font-size:.85rem}.pages{display:flex;gap:.8rem}
.badge{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-size:.82rem;white-space:nowrap;background:var(--band);border:1px solid var(--line)}.badge.good{background:var(--good);color:var(--goodink);border-color:transparent}.badge.warn{background:var(--warn);color:var(--warnink);border-color:transparent}.badge.bad{background:var(--bad);color:var(--badink);border-color:transparent}
ul.plain{margin:0;padding:0;list-style:none}.card ul{margin:.2rem 0 .4rem;padding-left:1.1rem}
.facts p{max-width:none;margin:.15rem 0}.over{color:var(--badink);font-weight:600}
.recommendation{border-left:5px solid var(--edge)}.recommendation.good{border-left-color:var(--goodink)}.recommendation.warn{border-left-color:var(--warnink)}.recommendation.bad{border-left-color:var(--badink)}
.recommendation h2{margin-top:0;font-size:.95rem;color:var(--muted);font-weight:600}.headline{font-size:1.15rem;font-weight:600;max-width:none}
.figures{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:.7rem 0}.figures div{margin:0}.figures dt{font-size:.8rem;color:var(--muted)}.figures dd{margin:0;font-size:1.1rem;font-variant-numeric:tabular-nums}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:.2rem 1.6rem}.columns h3{margin:.4rem 0 .1rem;font-size:.9rem}.columns li{margin:.15rem 0}
summary{cursor:pointer}summary h2{display:inline;margin:0}
.groups{display:grid;grid-template-columns:2fr 3fr;gap:1rem}.groups .wide .field{grid-template-columns:minmax(0,1fr) 7.5rem}@media (max-width:56rem){.groups{grid-template-columns:minmax(0,1fr)}}fieldset{border:1px solid var(--line);border-radius:.5rem;padding:.4rem .9rem .7rem;margin:.6rem 0 0;min-width:0}fieldset.wide{grid-column:1/-1;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:0 1.6rem}legend{font-weight:600;padding:0 .3rem}.groups .field{margin:.35rem 0;grid-template-columns:minmax(0,1fr) minmax(7rem,11rem);align-items:center;gap:.6rem}.groups .field label{font-weight:400}.groups .field input,.groups .field select{width:100%}
.weights{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));gap:0 1.2rem;align-content:start}.weights .field{grid-template-columns:minmax(0,1fr) 6rem}
.timemachine{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .7rem;margin:.8rem 0}.timemachine select{flex:0 1 40rem;min-width:0;width:100%}.timemachine label{font-weight:400;color:var(--muted)}
.beside{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1rem;align-items:start}@media (max-width:64rem){.beside{grid-template-columns:minmax(0,1fr)}}.beside .chart{margin-top:.7rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,32rem),1fr));gap:1rem}.chart{margin:0;padding:.7rem;min-width:0;background:var(--paper);border:1px solid var(--line);border-radius:.55rem}
.texts dt{font-weight:600;margin-top:.7rem}.texts dd{margin:0}.more{display:flex;flex-wrap:wrap;gap:.5rem 1.4rem;margin-top:1.5rem}
.badge+.badge,td .badge{margin-left:.15rem}td>div>.badge:first-child{margin-left:0}
pre{font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.6rem 0 0}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;margin:1rem 0;list-style:none}.tiles a{display:block;padding:.5rem .9rem;background:var(--paper);border:1px solid var(--line);border-radius:.55rem;text-decoration:none;color:var(--ink)}.tiles a:hover{border-color:var(--edge)}.tiles strong{display:block;font-size:1.3rem;line-height:1.2;color:var(--sectionink)}
.flags{list-style:none;padding:0}.flags li{margin:.25rem 0}mark{background:var(--past);color:var(--pastink);padding:0 .2rem;border-radius:.2rem}
dialog{border:1px solid var(--edge);border-radius:.6rem;background:var(--paper);color:var(--ink);padding:1rem 1.4rem}dialog::backdrop{background:#0008}dialog h2{margin:0 0 .4rem}dialog dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dialog dd{margin:0}dialog form{margin-top:.8rem}kbd{font:.85em ui-monospace,Menlo,Consolas,monospace;border:1px solid var(--edge);border-radius:.25rem;padding:0 .35rem}
.newer{margin:0 0 1rem}.timemachine input[type=range]{flex:1 1 12rem;min-width:8rem;padding:0;accent-color:var(--brand)}
.make{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem 1rem}.buttons{margin:.7rem 0}.make form{margin:0}.buttons,.make form{display:flex;flex-wrap:wrap;gap:.4rem}
progress{width:100%;height:.9rem;accent-color:var(--brand)}
.prose{white-space:pre-line;overflow-wrap:anywhere}.empty{max-width:none}
@media (max-width:40rem){td.wide>div{min-width:0}.cards td>div{min-width:0;overflow-wrap:anywhere}.scroll{max-height:none;border:0;background:none;overflow:visible}table.cards,.cards tbody,.cards tr,.cards td{display:block}.cards thead,.cards td.unknown{display:none}.cards tr{border:1px solid var(--line);border-radius:.5rem;background:var(--paper);margin:0 0 .6rem;padding:.3rem 0}.cards td{display:flex;gap:.8rem;border:0;padding:.16rem .7rem;text-align:left;white-space:normal!important}.cards td::before{content:attr(data-label);flex:0 0 6.5rem;color:var(--muted)}
body{font-size:14.5px}.wrap{padding-left:.9rem;padding-right:.9rem}h1{font-size:1.3rem}.top form{flex:1 1 100%}}
@media print{.scroll{max-height:none!important;overflow:visible;border:0}thead th{position:static}thead{display:table-header-group}tr,.chart{break-inside:avoid}.charts{grid-template-columns:1fr 1fr}details:not([open]){display:none}.top,.skip,.noprint{display:none!important}body{background:none;font-size:11px}.wrap{max-width:none;padding:0}a{color:inherit;text-decoration:none}.card{border:0;padding:0}@page{size:A4 landscape;margin:12mm}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
${CHART_STYLE}`

/** Its address changes with its content, so that browsers can cache it forever. */
export const STYLESHEET_PATH = `/assets/style-${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 12)}.css`
