/** Charts of columns and lines (ECMA-376 part 1, 21.2). */
import { empty, holds, type Kinds, optional, says, val } from './kind.js'
import { bool, double, oneOf, text, unsigned, whole } from './values.js'

const flag = optional(bool)
const count = val(unsigned)
const writing = holds('a:bodyPr a:lstStyle? a:p+')
const AXIS_HEAD =
  'axId scaling delete? axPos majorGridlines? title? numFmt? majorTickMark? minorTickMark? tickLblPos? spPr? txPr? ' +
  'crossAx crosses?'
const tick = optional(oneOf('cross', 'in', 'none', 'out'))

const frame: Kinds = {
  // Where a sheet's drawing names the part of a chart.
  ChartReference: empty({ 'r:id!': text }),
  chartSpace: holds('date1904? roundedCorners? chart spPr? txPr?'),
  date1904: flag,
  roundedCorners: flag,
  chart: holds('title? autoTitleDeleted? plotArea legend? plotVisOnly? dispBlanksAs?'),
  title: holds('tx? layout? overlay? spPr? txPr?'),
  tx: holds('strRef | rich'),
  rich: writing,
  txPr: writing,
  spPr: holds('(a:noFill | a:solidFill)? a:ln?'),
  layout: empty(),
  overlay: flag,
  autoTitleDeleted: flag,
  legend: holds('legendPos? layout? overlay? spPr? txPr?'),
  legendPos: optional(oneOf('b', 'tr', 'l', 'r', 't')),
  plotVisOnly: flag,
  dispBlanksAs: optional(oneOf('span', 'gap', 'zero')),
}

const plots: Kinds = {
  plotArea: holds('layout? (barChart | lineChart)+ (catAx | valAx)* spPr?'),
  barChart: holds('barDir grouping? varyColors? ser=BarSeries* dLbls? gapWidth? overlap? axId axId'),
  lineChart: holds('grouping=LineGrouping varyColors? ser=LineSeries* dLbls? marker=Flag? axId axId'),
  Flag: flag,
  barDir: optional(oneOf('bar', 'col')),
  grouping: optional(oneOf('percentStacked', 'clustered', 'standard', 'stacked')),
  LineGrouping: val(oneOf('percentStacked', 'standard', 'stacked')),
  varyColors: flag,
  gapWidth: optional(whole(0, 500)),
  overlap: optional(whole(-100, 100)),
  dLbls: holds(
    'numFmt? spPr? txPr? dLblPos? showLegendKey? showVal? showCatName? showSerName? showPercent? showBubbleSize?',
  ),
  dLblPos: val(oneOf('bestFit', 'b', 'ctr', 'inBase', 'inEnd', 'l', 'outEnd', 'r', 't')),
  showLegendKey: flag,
  showVal: flag,
  showCatName: flag,
  showSerName: flag,
  showPercent: flag,
  showBubbleSize: flag,
}

const series: Kinds = {
  BarSeries: holds('idx order tx=SeriesText? spPr? invertIfNegative? dLbls? cat? val?'),
  LineSeries: holds('idx order tx=SeriesText? spPr? marker? dLbls? cat? val? smooth?'),
  idx: count,
  order: count,
  SeriesText: holds('strRef | v'),
  invertIfNegative: flag,
  smooth: flag,
  marker: holds('symbol? size? spPr?'),
  symbol: val(oneOf('circle', 'dash', 'diamond', 'dot', 'none', 'picture', 'plus', 'square', 'star', 'triangle', 'x')),
  size: optional(whole(2, 72)),
  cat: holds('strRef | numRef'),
  val: holds('numRef'),
  strRef: holds('f strCache?'),
  numRef: holds('f numCache?'),
  f: says(text),
  strCache: holds('ptCount? pt*'),
  numCache: holds('formatCode? ptCount? pt=Figure*'),
  formatCode: says(text),
  ptCount: count,
  pt: holds('v', { 'idx!': unsigned }),
  v: says(text),
  Figure: holds('v=FigureValue', { 'idx!': unsigned }),
  FigureValue: says(double),
}

const axes: Kinds = {
  axId: count,
  catAx: holds(`${AXIS_HEAD} auto? lblAlgn? lblOffset? noMultiLvlLbl?`),
  valAx: holds(`${AXIS_HEAD} crossBetween? majorUnit?`),
  scaling: holds('orientation? max? min?'),
  orientation: optional(oneOf('maxMin', 'minMax')),
  max: val(double),
  min: val(double),
  majorUnit: val(double),
  delete: flag,
  axPos: val(oneOf('b', 'l', 'r', 't')),
  majorGridlines: holds('spPr?'),
  numFmt: empty({ 'formatCode!': text, sourceLinked: bool }),
  majorTickMark: tick,
  minorTickMark: tick,
  tickLblPos: optional(oneOf('high', 'low', 'nextTo', 'none')),
  crossAx: count,
  crosses: val(oneOf('autoZero', 'max', 'min')),
  crossBetween: val(oneOf('between', 'midCat')),
  auto: flag,
  lblAlgn: val(oneOf('ctr', 'l', 'r')),
  lblOffset: optional(whole(0, 1_000)),
  noMultiLvlLbl: flag,
}

export const chart: Kinds = { ...frame, ...plots, ...series, ...axes }
