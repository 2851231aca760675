import type { Axis } from '../../src/presentation/axis.js'
import {
  AWARD_COLOUR,
  type Chart,
  type ChartRange,
  type ChartSeries,
  type ColumnChart,
  NEUTRAL_COLOURS,
  type ScatterChart,
  type ScatterSeries,
  scatterAxes,
} from '../../src/presentation/chart.js'
import { escapeMarkup } from '../../src/presentation/markup.js'
import { palette } from '../../src/presentation/palette.js'
import type { SheetChart } from '../layout/sheet-chart.js'
import { FONT } from './cell-styles.js'
import { escapeXstring } from './cells.js'

const CATEGORY_AXIS = 111_111_111
const VALUE_AXIS = 222_222_222
const AXIS_IDS = `<c:axId val="${CATEGORY_AXIS}"/><c:axId val="${VALUE_AXIS}"/>`
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const solid = (colour: string | undefined) => `<a:solidFill><a:srgbClr val="${colour}"/></a:solidFill>`
const CHART_NAMESPACES =
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const DRAWING_NAMESPACES =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'

/** Content type of a chart part (ECMA-376 part 1, 14.2.1). */
export const CHART_TYPE = 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml'
/** Content type of a drawing part. */
export const DRAWING_TYPE = 'application/vnd.openxmlformats-officedocument.drawing+xml'

/** The chart part (ECMA-376 part 1, 21.2). */
export function chartXml(chart: Chart): string {
  const plots = 'points' in chart ? scatterChartXml(chart) : columnChartXml(chart)
  const legend =
    'points' in chart ? '' : `<c:legend><c:legendPos val="b"/><c:overlay val="0"/>${textProperties(900)}</c:legend>`
  return (
    `${XML_DECLARATION}<c:chartSpace ${CHART_NAMESPACES}><c:roundedCorners val="0"/><c:chart>${titleXml(chart.title, 1100, true)}` +
    `<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plots}</c:plotArea>${legend}` +
    '<c:plotVisOnly val="0"/><c:dispBlanksAs val="gap"/></c:chart>' +
    `<c:spPr>${solid('FFFFFF')}<a:ln w="9525">${solid(palette.line.slice(2))}</a:ln></c:spPr></c:chartSpace>`
  )
}

function columnChartXml(chart: ColumnChart): string {
  const body = chart.series.map((one, index) => seriesXml(chart, one, index)).join('')
  const labels = chart.series.length === 1 ? dataLabels({ format: chart.format, place: 'outEnd' }) : ''
  return (
    `<c:barChart><c:barDir val="col"/><c:grouping val="${chart.stacked ? 'stacked' : 'clustered'}"/><c:varyColors val="0"/>${body}${labels}` +
    `<c:gapWidth val="60"/>${chart.stacked ? '<c:overlap val="100"/>' : ''}${AXIS_IDS}</c:barChart>${axesXml(chart)}`
  )
}

function seriesXml(chart: ColumnChart, series: ChartSeries, index: number): string {
  const fill = solid(series.awarded ? AWARD_COLOUR : NEUTRAL_COLOURS[index % NEUTRAL_COLOURS.length])
  return (
    `<c:ser><c:idx val="${index}"/><c:order val="${index}"/><c:tx>${stringReference(series.name)}</c:tx>` +
    `<c:spPr>${fill}</c:spPr><c:invertIfNegative val="0"/>` +
    `<c:cat>${stringReference(chart.categories)}</c:cat>` +
    `<c:val>${numberReference(series.values, chart.format)}</c:val></c:ser>`
  )
}

function stringReference({ ref, cached }: ChartRange<string>): string {
  const points = cached.map((text, index) => point(index, escapeMarkup(escapeXstring(text)))).join('')
  return `<c:strRef><c:f>${escapeMarkup(ref)}</c:f><c:strCache><c:ptCount val="${cached.length}"/>${points}</c:strCache></c:strRef>`
}

function numberReference({ ref, cached }: ChartRange<number | null>, format: string): string {
  const points = cached.map((value, index) => (value === null ? '' : point(index, String(value)))).join('')
  return (
    `<c:numRef><c:f>${escapeMarkup(ref)}</c:f><c:numCache><c:formatCode>${escapeMarkup(format)}</c:formatCode>` +
    `<c:ptCount val="${cached.length}"/>${points}</c:numCache></c:numRef>`
  )
}

const point = (index: number, content: string) => `<c:pt idx="${index}"><c:v>${content}</c:v></c:pt>`

/** The marks of one series with their values, or with its name. */
function dataLabels({ format, place, bold }: { format?: string; place: string; bold?: boolean }) {
  const numbers = format === undefined ? '' : `<c:numFmt formatCode="${escapeMarkup(format)}" sourceLinked="0"/>`
  return (
    `<c:dLbls>${numbers}<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>` +
    `${textProperties(800, bold)}<c:dLblPos val="${place}"/><c:showLegendKey val="0"/><c:showVal val="${format === undefined ? 0 : 1}"/><c:showCatName val="0"/>` +
    `<c:showSerName val="${format === undefined ? 1 : 0}"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>`
  )
}

// --- scatter (ECMA-376 part 1, 21.2.2.161) ---------------------------------------------------------------------------

function scatterChartXml(chart: ScatterChart): string {
  const { points, xTitle, yTitle, xFormat, yFormat } = chart
  const axes = scatterAxes(chart)
  const series = points.map((one, index) => scatterSeriesXml(one, index, { xFormat, yFormat })).join('')
  const common = { labels: 'low', crosses: 'min', end: '<c:crossBetween val="midCat"/>' }
  return (
    `<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>${series}${AXIS_IDS}</c:scatterChart>` +
    axisXml('valAx', CATEGORY_AXIS, { ...common, at: 'b', title: xTitle, format: xFormat, range: axes.x }) +
    axisXml('valAx', VALUE_AXIS, { ...common, at: 'l', title: yTitle, format: yFormat, range: axes.y })
  )
}

function scatterSeriesXml(
  { name, x, y, shape, awarded = false }: ScatterSeries,
  index: number,
  formats: { xFormat: string; yFormat: string },
): string {
  const joined = shape === 'line' || shape === 'steps'
  const isRing = shape === 'ring'
  const [symbol, size] = joined ? ['square', 5] : ['circle', isRing ? 14 : 7]
  const colour = solid(awarded || isRing ? AWARD_COLOUR : NEUTRAL_COLOURS[0])
  const line = joined ? `<a:ln w="22225">${colour}</a:ln>` : '<a:ln w="19050"><a:noFill/></a:ln>'
  const marker =
    `<c:marker><c:symbol val="${symbol}"/><c:size val="${size}"/>` +
    (isRing
      ? `<c:spPr><a:noFill/><a:ln w="28575">${colour}</a:ln></c:spPr></c:marker>`
      : `<c:spPr>${colour}<a:ln w="9525">${solid('FFFFFF')}</a:ln></c:spPr></c:marker>`)
  const place = isRing ? 'b' : index % 2 === 0 ? 't' : 'r'
  return (
    `<c:ser><c:idx val="${index}"/><c:order val="${index}"/><c:tx>${stringReference(name)}</c:tx>` +
    `<c:spPr>${line}</c:spPr>${marker}${joined ? '' : dataLabels({ place, bold: true })}` +
    `<c:xVal>${numberReference(x, formats.xFormat)}</c:xVal><c:yVal>${numberReference(y, formats.yFormat)}</c:yVal>` +
    '<c:smooth val="0"/></c:ser>'
  )
}

interface AxisPlan {
  at: 'b' | 'l'
  title: string
  format: string
  labels: string
  /** Where the other axis crosses. */
  crosses: string
  min?: number
  range?: Axis
  /** The elements at its end. */
  end: string
}

function axisXml(kind: 'catAx' | 'valAx', id: number, axis: AxisPlan): string {
  const { at, title, format, labels, crosses, min, range, end } = axis
  const lowest = range?.min ?? min
  const limits =
    (range === undefined ? '' : `<c:max val="${range.max}"/>`) +
    (lowest === undefined ? '' : `<c:min val="${lowest}"/>`)
  const unit = range === undefined ? '' : `<c:majorUnit val="${range.step}"/>`
  const gridlines = `<c:majorGridlines><c:spPr><a:ln w="6350">${solid(palette.line.slice(2))}</a:ln></c:spPr></c:majorGridlines>`
  return (
    `<c:${kind}><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/>${limits}</c:scaling><c:delete val="0"/>` +
    `<c:axPos val="${at}"/>${kind === 'valAx' ? gridlines : ''}${titleXml(title, 900, false)}<c:numFmt formatCode="${escapeMarkup(format)}" sourceLinked="0"/>` +
    `<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="${labels}"/>${textProperties(800)}` +
    `<c:crossAx val="${id === VALUE_AXIS ? CATEGORY_AXIS : VALUE_AXIS}"/><c:crosses val="${crosses}"/>${end}${unit}</c:${kind}>`
  )
}

function axesXml({ categoryTitle, valueTitle, format }: ColumnChart): string {
  const categoryEnd = '<c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="1"/>'
  const category = { title: categoryTitle, format: 'General', labels: 'low', crosses: 'autoZero', end: categoryEnd }
  const value = { title: valueTitle, format, labels: 'nextTo', end: '<c:crossBetween val="between"/>' }
  return (
    axisXml('catAx', CATEGORY_AXIS, { ...category, at: 'b' }) +
    axisXml('valAx', VALUE_AXIS, { ...value, at: 'l', crosses: 'autoZero', min: 0 })
  )
}

function titleXml(text: string, size: number, bold: boolean): string {
  if (text === '') return ''
  return (
    `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${size}" b="${bold ? 1 : 0}"/></a:pPr>` +
    `<a:r><a:rPr lang="en-GB" sz="${size}" b="${bold ? 1 : 0}">${TEXT_FILL}</a:rPr><a:t>${escapeMarkup(text)}</a:t></a:r></a:p></c:rich></c:tx>` +
    '<c:overlay val="0"/></c:title>'
  )
}

const TEXT_FILL = `${solid(palette.ink.slice(2))}<a:latin typeface="${FONT}"/>`
const textProperties = (size: number, bold = false) =>
  `<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${size}"${bold ? ' b="1"' : ''}>${TEXT_FILL}</a:defRPr></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr>`

/** The drawing part, which positions the charts of a sheet; relationship `rIdN` is chart N (ECMA-376 part 1, 20.5). */
export function drawingXml(charts: readonly SheetChart[]): string {
  return `${XML_DECLARATION}<xdr:wsDr ${DRAWING_NAMESPACES}>${charts.map(anchorXml).join('')}</xdr:wsDr>`
}

function anchorXml(chart: SheetChart, index: number): string {
  const { column, row, toColumn, toRow } = chart.anchor
  const id = index + 2
  return (
    `<xdr:twoCellAnchor><xdr:from>${anchorCorner(column, row)}</xdr:from><xdr:to>${anchorCorner(toColumn, toRow)}</xdr:to>` +
    `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${id}" name="Chart ${index + 1}" title="${escapeMarkup(chart.title)}" descr="${escapeMarkup(chart.alt)}"/>` +
    '<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>' +
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
    '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
    `r:id="rId${index + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>`
  )
}

const anchorCorner = (column: number, row: number) =>
  `<xdr:col>${column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff>`

/** The relationships from a drawing to its charts, whose parts are numbered from `first`. */
export function drawingRelationships(charts: readonly Chart[], first: number): string {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart'
  const entries = charts.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="../charts/chart${first + index}.xml"/>`,
  )
  return `${XML_DECLARATION}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join('')}</Relationships>`
}
