/** Charts of columns, lines and points (ECMA-376 part 1, 21.2). */
import { empty, type Kinds, optional, val, withChildren, withText } from './kind.js'
import { bool, double, oneOf, text, unsigned, whole } from './values.js'

const flag = optional(bool)
const count = val(unsigned)
const writing = withChildren('a:bodyPr a:lstStyle? a:p+')
const AXIS_HEAD =
  'axId scaling delete? axPos majorGridlines? title? numFmt? majorTickMark? minorTickMark? tickLblPos? spPr? txPr? ' +
  'crossAx crosses?'
const tick = optional(oneOf('cross', 'in', 'none', 'out'))

const frame: Kinds = {
  // Where a sheet's drawing names the part of a chart.
  ChartReference: empty({ 'r:id!': text }),
  chartSpace: withChildren('date1904? roundedCorners? chart spPr? txPr?'),
  date1904: flag,
  roundedCorners: flag,
  chart: withChildren('title? autoTitleDeleted? plotArea legend? plotVisOnly? dispBlanksAs?'),
  title: withChildren('tx? layout? overlay? spPr? txPr?'),
  tx: withChildren('strRef | rich'),
  rich: writing,
  txPr: writing,
  spPr: withChildren('(a:noFill | a:solidFill)? a:ln?'),
  layout: empty(),
  overlay: flag,
  autoTitleDeleted: flag,
  legend: withChildren('legendPos? layout? overlay? spPr? txPr?'),
  legendPos: optional(oneOf('b', 'tr', 'l', 'r', 't')),
  plotVisOnly: flag,
  dispBlanksAs: optional(oneOf('span', 'gap', 'zero')),
}

const plots: Kinds = {
  plotArea: withChildren('layout? (barChart | lineChart | scatterChart)+ (catAx | valAx)* spPr?'),
  barChart: withChildren('barDir grouping? varyColors? ser=BarSeries* dLbls? gapWidth? overlap? axId axId'),
  lineChart: withChildren('grouping=LineGrouping varyColors? ser=LineSeries* dLbls? marker=Flag? axId axId'),
  scatterChart: withChildren('scatterStyle varyColors? ser=ScatterSeries* dLbls? axId axId'),
  scatterStyle: val(oneOf('none', 'line', 'lineMarker', 'marker', 'smooth', 'smoothMarker')),
  Flag: flag,
  barDir: optional(oneOf('bar', 'col')),
  grouping: optional(oneOf('percentStacked', 'clustered', 'standard', 'stacked')),
  LineGrouping: val(oneOf('percentStacked', 'standard', 'stacked')),
  varyColors: flag,
  gapWidth: optional(whole(0, 500)),
  overlap: optional(whole(-100, 100)),
  dLbls: withChildren(
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
  BarSeries: withChildren('idx order tx=SeriesText? spPr? invertIfNegative? dLbls? cat? val?'),
  LineSeries: withChildren('idx order tx=SeriesText? spPr? marker? dLbls? cat? val? smooth?'),
  ScatterSeries: withChildren('idx order tx=SeriesText? spPr? marker? dLbls? xVal? yVal? smooth?'),
  xVal: withChildren('strRef | numRef'),
  yVal: withChildren('numRef'),
  idx: count,
  order: count,
  SeriesText: withChildren('strRef | v'),
  invertIfNegative: flag,
  smooth: flag,
  marker: withChildren('symbol? size? spPr?'),
  symbol: val(oneOf('circle', 'dash', 'diamond', 'dot', 'none', 'picture', 'plus', 'square', 'star', 'triangle', 'x')),
  size: optional(whole(2, 72)),
  cat: withChildren('strRef | numRef'),
  val: withChildren('numRef'),
  strRef: withChildren('f strCache?'),
  numRef: withChildren('f numCache?'),
  f: withText(text),
  strCache: withChildren('ptCount? pt*'),
  numCache: withChildren('formatCode? ptCount? pt=Figure*'),
  formatCode: withText(text),
  ptCount: count,
  pt: withChildren('v', { 'idx!': unsigned }),
  v: withText(text),
  Figure: withChildren('v=FigureValue', { 'idx!': unsigned }),
  FigureValue: withText(double),
}

const axes: Kinds = {
  axId: count,
  catAx: withChildren(`${AXIS_HEAD} auto? lblAlgn? lblOffset? noMultiLvlLbl?`),
  valAx: withChildren(`${AXIS_HEAD} crossBetween? majorUnit?`),
  scaling: withChildren('orientation? max? min?'),
  orientation: optional(oneOf('maxMin', 'minMax')),
  max: val(double),
  min: val(double),
  majorUnit: val(double),
  delete: flag,
  axPos: val(oneOf('b', 'l', 'r', 't')),
  majorGridlines: withChildren('spPr?'),
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
