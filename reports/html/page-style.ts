import { CHART_STYLE } from '../../src/presentation/chart-svg.js'
import { darkPalette, palette } from '../../src/presentation/palette.js'

/** The colours of the workbook, and those of text on `head` and `section`. */
const LIGHT = { ...palette, headInk: palette.paper, sectionInk: palette.head }

/** Variables by colour, such as `--goodink`; `--bar` is the length of a bar. */
const variables = (colours: typeof LIGHT | typeof darkPalette) =>
  Object.entries(colours)
    .map(([name, argb]) => `--${name === 'bar' ? 'bar-fill' : name.toLowerCase()}:#${argb.slice(2)}`)
    .join(';')
const highlightRule = (name: string) => `.${name}{background:var(--${name});color:var(--${name}ink)}`

/** Style sheet of the page: light and dark, narrow screens, print. */
export const PAGE_STYLE = `:root{color-scheme:light;${variables(LIGHT)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables(darkPalette)}}}
*{box-sizing:border-box}html{scroll-padding-top:3.4rem}
body{margin:0;font:14px/1.45 Arial,Helvetica,sans-serif;color:var(--ink);background:var(--paper)}
header,main,footer{max-width:1320px;margin:0 auto;padding:0 1.5rem}
header{padding-top:1.6rem;padding-bottom:.8rem}h1{margin:0 0 .25rem;font-size:1.65rem;line-height:1.2;color:var(--sectionink)}
h2{margin:0 0 .3rem;font-size:1.25rem;color:var(--sectionink)}p{margin:.2rem 0;color:var(--muted);max-width:62rem}a{color:var(--link)}
.omitted{border-left:4px solid var(--warnink);padding:.4rem .8rem;margin:.7rem 0 0;background:var(--warn);color:var(--warnink)}
nav{position:sticky;top:0;z-index:4;background:var(--paper);border-top:1px solid var(--line);border-bottom:2px solid var(--head)}
nav div{max-width:1320px;margin:0 auto;padding:.35rem 1.2rem;display:flex;gap:.15rem;overflow-x:auto;scrollbar-width:thin}
nav a{padding:.25rem .55rem;border-radius:.3rem;text-decoration:none;white-space:nowrap}nav a:hover,nav a:focus-visible{background:var(--section)}
section{margin:1.9rem 0 2.6rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr));gap:1rem;margin:1.2rem 0}.charts figure{min-width:0;margin:0;padding:.7rem;border:1px solid var(--line);border-radius:.4rem}
details{margin:1rem 0}summary{cursor:pointer;color:var(--link);padding:.2rem 0}
.scroll{overflow:auto;max-height:85vh;width:fit-content;max-width:100%;margin-top:.9rem;border:1px solid var(--line);border-radius:.3rem}
table{table-layout:fixed;border-collapse:separate;border-spacing:0;font-size:12.1px;line-height:1.36}
.lazy{content-visibility:auto}
td,th{padding:.24rem .28rem;border-bottom:1px solid var(--line);vertical-align:top;text-align:left;overflow-wrap:break-word}
thead{position:sticky;top:0;z-index:2}thead td{background:var(--paper)}
th{background:var(--head);color:var(--headink);vertical-align:bottom}th.section-title{background:var(--section);color:var(--sectionink);font-size:13px}
th.section-title span{position:sticky;left:.28rem}
.large{font-size:1.15rem;color:var(--sectionink)}
@media screen and (min-width:641px){.cards{zoom:.82}}.n{white-space:nowrap}.r{text-align:right;font-variant-numeric:tabular-nums}.b{font-weight:bold}.bands td{color:var(--sectionink);font-size:13px;white-space:nowrap}
${['good', 'warn', 'bad', 'input'].map(highlightRule).join('')}.muted{color:var(--muted)}.bar{background:linear-gradient(90deg,var(--bar-fill) var(--bar),transparent 0)}
:where(.named tr:not(.bands)>:first-child:not(.section-title)){position:sticky;left:0;z-index:1;background:var(--paper)}
@media (min-width:900px){${frozenColumnRules()}}
footer{padding-top:1rem;padding-bottom:1.6rem;color:var(--muted)}
@media (max-width:640px){header,main,footer{padding-left:.9rem;padding-right:.9rem}nav div{padding:.35rem .4rem}h1{font-size:1.3rem}.charts figure{padding:.2rem;overflow-x:auto}.charts svg{min-width:32rem}
.scroll:has(.cards){max-height:none;border:0;width:auto}.cards{width:100%!important}.cards,.cards tbody,.cards tr,.cards td,.cards th{display:block}.cards colgroup,.cards .heads,.cards td:empty{display:none}
.cards tr{border:1px solid var(--line);border-radius:.4rem;margin:0 0 .6rem}.cards td{border:0;text-align:left;white-space:normal}.cards td[data-label]{display:flex;justify-content:space-between;gap:1rem}.cards td[data-label]::before{content:attr(data-label);flex:0 0 9rem;font-weight:normal;color:var(--muted)}}
@media print{nav,details{display:none}header,main,footer{max-width:none;padding:0}body{font-size:12px;-webkit-print-color-adjust:exact;print-color-adjust:exact}h1{font-size:1.4rem}section{break-before:page;margin:0 0 1rem}section:first-child{break-before:auto}
.scroll{max-height:none;max-width:100%;overflow:hidden;border:0}.scroll table{zoom:var(--print-scale,1)}.scroll[data-wide]::after{content:"This table is too wide to print in full; the workbook contains all columns.";font-style:italic}
.lazy{content-visibility:visible;width:auto!important}thead,tr>*{position:static!important}tr,figure{break-inside:avoid}.charts{grid-template-columns:1fr 1fr}@page{size:A4 landscape;margin:12mm}}
${CHART_STYLE}`

/** Rules that freeze columns at the left. */
function frozenColumnRules(): string {
  const counts = [1, 2, 3, 4]
  const cells = counts
    .map((count) => `.keep${count} tr:not(.bands)>:nth-child(-n+${count}):not(.section-title)`)
    .join(',')
  const places = counts.map((at) => `:where([class^=keep] tr:not(.bands))>:nth-child(${at}){left:var(--k${at})}`)
  return `:where(${cells}){position:sticky;z-index:1;background:var(--paper)}${places.join('')}`
}
