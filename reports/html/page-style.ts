import { CHART_STYLE } from '../../src/presentation/chart-svg.js'
import { FONTS, THEME_STYLE } from '../../src/presentation/theme.js'

const highlightRule = (name: string) => `.${name}{background:var(--${name});color:var(--${name}ink)}`

/** Style sheet of the report, with the colours and sizes of the pages: light and dark, narrow screens, print. */
export const PAGE_STYLE = `${THEME_STYLE}
*{box-sizing:border-box}html{scroll-padding-top:3rem}
body{margin:0;font:var(--t3)/1.45 ${FONTS};color:var(--ink);background:var(--paper)}
header,main,footer{max-width:82rem;margin:0 auto;padding:0 var(--s5)}
header{padding-top:var(--s5);padding-bottom:var(--s3)}h1{margin:0 0 var(--s1);font-size:var(--t1);line-height:1.3;font-weight:620}
h2{margin:0 0 var(--s1);font-size:var(--t2);font-weight:620}p{margin:var(--s1) 0;color:var(--muted);max-width:95ch}a{color:var(--link)}
.omitted{border-left:3px solid var(--warnink);padding:var(--s2) var(--s3);margin:var(--s3) 0 0;background:var(--warn);color:var(--warnink)}
nav{position:sticky;top:0;z-index:4;background:var(--paper);border-bottom:1px solid var(--line)}
nav div{max-width:82rem;margin:0 auto;padding:var(--s1) var(--s4);display:flex;gap:var(--s1);overflow-x:auto;scrollbar-width:thin}
nav a{padding:var(--s1) var(--s2);border-radius:6px;text-decoration:none;white-space:nowrap;color:var(--muted)}nav a:hover,nav a:focus-visible{background:var(--band);color:var(--ink)}
section{margin:var(--s5) 0 var(--s6)}
.charts{display:flex;flex-wrap:wrap;gap:var(--s5);margin:var(--s4) 0}.charts figure{flex:1 1 22rem}
details{margin:var(--s4) 0}summary{cursor:pointer;color:var(--muted);font-size:var(--t4)}
.scroll{overflow:auto;width:fit-content;max-width:100%;margin-top:var(--s2)}.scroll:has(.lazy){max-height:85vh}.scroll:has(.cards){width:auto}
table{table-layout:fixed;border-collapse:separate;border-spacing:0;font-size:var(--t4);line-height:1.4}
.lazy{content-visibility:auto}
td,th{padding:var(--s2) 6px;border-bottom:1px solid var(--line);vertical-align:top;text-align:left;overflow-wrap:break-word}td:first-child,th:first-child{padding-left:0}
thead{position:sticky;top:0;z-index:2}thead td{background:var(--paper)}
th{background:var(--paper);color:var(--muted);font-weight:500;vertical-align:bottom}th.section-title{padding-top:var(--s4);color:var(--ink);font-size:var(--t3);font-weight:620}
th.section-title span{position:sticky;left:0}
.large{font-size:var(--t2);font-weight:620}
.n{white-space:nowrap}.r{text-align:right;font-variant-numeric:tabular-nums}.b{font-weight:600}.bands td{padding-top:var(--s4);font-size:var(--t3);font-weight:620;white-space:nowrap}
${['good', 'warn', 'bad'].map(highlightRule).join('')}.muted{color:var(--muted)}.bar{background:linear-gradient(90deg,var(--bar-fill) var(--bar),transparent 0)}
:where(.named tr:not(.bands)>:first-child:not(.section-title)){position:sticky;left:0;z-index:1;background:var(--paper)}
@media (min-width:900px){${frozenColumnRules()}}
footer{padding-top:var(--s4);padding-bottom:var(--s5);color:var(--faint);font-size:var(--t4)}
@media (max-width:40rem){header,main,footer{padding-left:var(--s4);padding-right:var(--s4)}nav div{padding:var(--s1) var(--s2)}
.cards{width:100%!important}.cards,.cards tbody,.cards tr,.cards td,.cards th{display:block}.cards colgroup,.cards .heads,.cards td:empty{display:none}
.cards tr{border-bottom:1px solid var(--line);padding:var(--s2) 0}.cards td{border:0;padding:2px 0;text-align:left;white-space:normal}.cards td.good,.cards td.warn,.cards td.bad{padding-left:var(--s2);padding-right:var(--s2)}.cards th.section-title{padding:var(--s3) 0 0;border:0}.cards td[data-label]{display:flex;gap:var(--s3)}.cards td[data-label]::before{content:attr(data-label);flex:0 0 8rem;font-weight:400;color:var(--faint)}}
@media print{nav,details{display:none}header,main,footer{max-width:none;padding:0}body{font-size:12px;-webkit-print-color-adjust:exact;print-color-adjust:exact}section{margin:0 0 var(--s5)}h2,h2+p{break-after:avoid}thead{display:table-header-group}
table{font-size:10px;line-height:1.3}td,th{padding:2px 4px}th.section-title,.bands td{padding-top:var(--s2);font-size:11px}.chart{max-width:22rem}.scroll{max-height:none;max-width:100%;overflow:hidden}.scroll table{zoom:var(--print-scale,1)}.scroll[data-wide]::after{content:"This table is too wide to print in full; the workbook contains all columns.";font-style:italic}
.lazy{content-visibility:visible;width:auto!important}thead,tr>*{position:static!important}tr,figure{break-inside:avoid}@page{size:A4 landscape;margin:12mm}}
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
