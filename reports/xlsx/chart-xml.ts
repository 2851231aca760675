import { CHART_COLOURS, type Chart, type ChartRange, type ChartSeries } from '../layout/chart.js'
import { FONT, palette } from './cell-styles.js'
import { escapeXml, escapeXstring } from './escape-xml.js'

const LINE_COLOUR = palette.badInk.slice(2)
const CATEGORY_AXIS = 111_111_111
const VALUE_AXIS = 222_222_222
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const CHART_SPACES =
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const DRAWING_SPACES =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'

/** Content type of a chart part (ECMA-376 part 1, 14.2.1). */
export const CHART_TYPE = 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml'
/** Content type of a drawing part. */
export const DRAWING_TYPE = 'application/vnd.openxmlformats-officedocument.drawing+xml'

/** The part of one chart (ECMA-376 part 1, 21.2). */
export function chartXml(chart: Chart): string {
  const columns = chart.series.filter((series) => !series.line)
  const lines = chart.series.filter((series) => series.line)
  const plots = `${columnsXml(chart, columns)}${lines.length > 0 ? linesXml(chart, lines, columns.length) : ''}`
  return (
    `${HEAD}<c:chartSpace ${CHART_SPACES}><c:roundedCorners val="0"/><c:chart>${titleXml(chart.title, 1200, true)}` +
    `<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plots}${axesXml(chart)}</c:plotArea>` +
    `<c:legend><c:legendPos val="b"/><c:overlay val="0"/>${textXml(900)}</c:legend>` +
    '<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>' +
    '<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>' +
    `<a:ln w="9525"><a:solidFill><a:srgbClr val="${palette.line.slice(2)}"/></a:solidFill></a:ln></c:spPr></c:chartSpace>`
  )
}

function columnsXml(chart: Chart, series: readonly ChartSeries[]): string {
  const grouping = chart.stacked ? 'stacked' : 'clustered'
  const body = series.map((one, index) => seriesXml(chart, one, index, columnLook(index))).join('')
  const labels = series.length === 1 ? dataLabels(chart.format) : ''
  return (
    `<c:barChart><c:barDir val="col"/><c:grouping val="${grouping}"/><c:varyColors val="0"/>${body}${labels}` +
    `<c:gapWidth val="60"/>${chart.stacked ? '<c:overlap val="100"/>' : ''}` +
    `<c:axId val="${CATEGORY_AXIS}"/><c:axId val="${VALUE_AXIS}"/></c:barChart>`
  )
}

function linesXml(chart: Chart, series: readonly ChartSeries[], first: number): string {
  const body = series.map((one, index) => seriesXml(chart, one, first + index, lineLook)).join('')
  return (
    `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${body}<c:marker val="1"/>` +
    `<c:axId val="${CATEGORY_AXIS}"/><c:axId val="${VALUE_AXIS}"/></c:lineChart>`
  )
}

const columnLook = (index: number) =>
  `<c:spPr><a:solidFill><a:srgbClr val="${CHART_COLOURS[index % CHART_COLOURS.length]}"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/>`
const lineLook =
  `<c:spPr><a:ln w="25400"><a:solidFill><a:srgbClr val="${LINE_COLOUR}"/></a:solidFill>` +
  '<a:prstDash val="dash"/></a:ln></c:spPr><c:marker><c:symbol val="none"/></c:marker>'

function seriesXml(chart: Chart, series: ChartSeries, index: number, looks: string): string {
  const smooth = series.line ? '<c:smooth val="0"/>' : ''
  return (
    `<c:ser><c:idx val="${index}"/><c:order val="${index}"/><c:tx>${textReference(series.name)}</c:tx>${looks}` +
    `<c:cat>${textReference(chart.categories)}</c:cat>` +
    `<c:val>${numberReference(series.values, chart.format)}</c:val>${smooth}</c:ser>`
  )
}

function textReference({ ref, cached }: ChartRange<string>): string {
  const points = cached.map((text, index) => point(index, escapeXml(escapeXstring(text)))).join('')
  return `<c:strRef><c:f>${escapeXml(ref)}</c:f><c:strCache><c:ptCount val="${cached.length}"/>${points}</c:strCache></c:strRef>`
}

function numberReference({ ref, cached }: ChartRange<number | null>, format: string): string {
  const points = cached.map((value, index) => (value === null ? '' : point(index, String(value)))).join('')
  return (
    `<c:numRef><c:f>${escapeXml(ref)}</c:f><c:numCache><c:formatCode>${escapeXml(format)}</c:formatCode>` +
    `<c:ptCount val="${cached.length}"/>${points}</c:numCache></c:numRef>`
  )
}

const point = (index: number, content: string) => `<c:pt idx="${index}"><c:v>${content}</c:v></c:pt>`

function dataLabels(format: string): string {
  return (
    `<c:dLbls><c:numFmt formatCode="${escapeXml(format)}" sourceLinked="0"/><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>` +
    `${textXml(800)}<c:dLblPos val="outEnd"/><c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/>` +
    '<c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>'
  )
}

function axesXml(chart: Chart): string {
  const grid = `<c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="${palette.line.slice(2)}"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`
  return (
    `<c:catAx><c:axId val="${CATEGORY_AXIS}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>` +
    `<c:axPos val="b"/>${titleXml(chart.categoryTitle, 900, false)}<c:numFmt formatCode="General" sourceLinked="0"/>` +
    `<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>${textXml(800)}` +
    `<c:crossAx val="${VALUE_AXIS}"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="1"/></c:catAx>` +
    `<c:valAx><c:axId val="${VALUE_AXIS}"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="0"/>` +
    `<c:axPos val="l"/>${grid}${titleXml(chart.valueTitle, 900, false)}<c:numFmt formatCode="${escapeXml(chart.format)}" sourceLinked="0"/>` +
    `<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>${textXml(800)}` +
    `<c:crossAx val="${CATEGORY_AXIS}"/><c:crosses val="autoZero"/><c:crossBetween val="between"/></c:valAx>`
  )
}

function titleXml(text: string, size: number, bold: boolean): string {
  return (
    `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${size}" b="${bold ? 1 : 0}"/></a:pPr>` +
    `<a:r><a:rPr lang="en-GB" sz="${size}" b="${bold ? 1 : 0}">${inkXml}</a:rPr><a:t>${escapeXml(text)}</a:t></a:r></a:p></c:rich></c:tx>` +
    '<c:overlay val="0"/></c:title>'
  )
}

const inkXml = `<a:solidFill><a:srgbClr val="${palette.ink.slice(2)}"/></a:solidFill><a:latin typeface="${FONT}"/>`
const textXml = (size: number) =>
  `<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="${size}">${inkXml}</a:defRPr></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr>`

/** The part that places the charts of a sheet; chart n stands behind relationship `rIdn` (ECMA-376 part 1, 20.5). */
export function drawingXml(charts: readonly Chart[]): string {
  return `${HEAD}<xdr:wsDr ${DRAWING_SPACES}>${charts.map(anchorXml).join('')}</xdr:wsDr>`
}

function anchorXml(chart: Chart, index: number): string {
  const { column, row, toColumn, toRow } = chart.anchor
  const id = index + 2
  return (
    `<xdr:twoCellAnchor><xdr:from>${corner(column, row)}</xdr:from><xdr:to>${corner(toColumn, toRow)}</xdr:to>` +
    `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${id}" name="Chart ${index + 1}" title="${escapeXml(chart.title)}" descr="${escapeXml(chart.alt)}"/>` +
    '<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>' +
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
    '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
    `r:id="rId${index + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>`
  )
}

const corner = (column: number, row: number) =>
  `<xdr:col>${column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff>`

/** The relationships of a drawing to its charts, whose parts are numbered from `first`. */
export function drawingRelationships(charts: readonly Chart[], first: number): string {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart'
  const entries = charts.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="../charts/chart${first + index}.xml"/>`,
  )
  return `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join('')}</Relationships>`
}
