/** Workbook, sheets and shared strings (ECMA-376 part 1, 18.2 to 18.4): only what our workbooks use. */
import { empty, type Kinds, withChildren, withText } from './kind.js'
import { area, areas, argb, bool, byte, cell, double, oneOf, signed, spans, text, unsigned, whole } from './values.js'

const PANES = oneOf('bottomRight', 'topRight', 'bottomLeft', 'topLeft')
export const colour = { auto: bool, indexed: unsigned, rgb: argb, theme: unsigned, tint: double }

const workbook: Kinds = {
  workbook: withChildren('fileVersion? workbookPr? bookViews? sheets definedNames? calcPr? extLst?'),
  fileVersion: empty({ appName: text, lastEdited: text, lowestEdited: text, rupBuild: text }),
  workbookPr: empty({ date1904: bool, filterPrivacy: bool, defaultThemeVersion: unsigned }),
  bookViews: withChildren('workbookView+'),
  workbookView: empty({
    xWindow: signed,
    yWindow: signed,
    windowWidth: unsigned,
    windowHeight: unsigned,
    firstSheet: unsigned,
    activeTab: unsigned,
    visibility: oneOf('visible', 'hidden', 'veryHidden'),
  }),
  sheets: withChildren('sheet+'),
  sheet: empty({
    'name!': text,
    'sheetId!': whole(1, 65_534),
    state: oneOf('visible', 'hidden', 'veryHidden'),
    'r:id!': text,
  }),
  definedNames: withChildren('definedName+'),
  definedName: withText(text, { 'name!': text, localSheetId: unsigned, hidden: bool }),
  calcPr: empty({ calcId: unsigned, fullCalcOnLoad: bool }),
}

const strings: Kinds = {
  sst: withChildren('si*', { count: unsigned, uniqueCount: unsigned }),
  si: withChildren('t'),
  // The schema has no attribute here; XML reserves this one for every element, and Excel writes it (18.4.12).
  t: withText(text, { 'xml:space': oneOf('preserve') }),
}

const sheetHead: Kinds = {
  worksheet: withChildren(
    'sheetPr? dimension? sheetViews? sheetFormatPr? cols? sheetData autoFilter? mergeCells? conditionalFormatting* ' +
      'hyperlinks? pageMargins? pageSetup? headerFooter? rowBreaks? extLst?',
  ),
  sheetPr: withChildren('tabColor? pageSetUpPr?'),
  tabColor: empty(colour),
  pageSetUpPr: empty({ autoPageBreaks: bool, fitToPage: bool }),
  dimension: empty({ 'ref!': area }),
  sheetViews: withChildren('sheetView+'),
  sheetView: withChildren('pane? selection? selection? selection? selection?', {
    showGridLines: bool,
    tabSelected: bool,
    zoomScale: whole(10, 400),
    zoomScaleNormal: whole(10, 400),
    'workbookViewId!': unsigned,
  }),
  pane: empty({
    xSplit: double,
    ySplit: double,
    topLeftCell: cell,
    activePane: PANES,
    state: oneOf('split', 'frozen', 'frozenSplit'),
  }),
  selection: empty({ pane: PANES, activeCell: cell, sqref: areas }),
  sheetFormatPr: empty({ 'defaultRowHeight!': double, outlineLevelRow: byte, outlineLevelCol: byte }),
  cols: withChildren('col+'),
  col: empty({
    'min!': unsigned,
    'max!': unsigned,
    width: double,
    customWidth: bool,
    style: unsigned,
  }),
}

const cells: Kinds = {
  sheetData: withChildren('row*'),
  row: withChildren('c*', {
    r: whole(1, 1_048_576),
    spans,
    s: unsigned,
    ht: double,
    customHeight: bool,
  }),
  c: withChildren('f? v?', { r: cell, s: unsigned, t: oneOf('b', 'n', 'e', 's', 'str') }),
  f: withText(text, { t: oneOf('normal', 'array'), ref: area }),
  v: withText(text),
  autoFilter: empty({ ref: area }),
  mergeCells: withChildren('mergeCell+', { count: unsigned }),
  mergeCell: empty({ 'ref!': area }),
}

const rules: Kinds = {
  conditionalFormatting: withChildren('cfRule+', { sqref: areas }),
  cfRule: withChildren('formula? formula? formula? dataBar? extLst?', {
    type: oneOf('expression', 'dataBar'),
    dxfId: unsigned,
    'priority!': whole(1, 2_147_483_647),
  }),
  formula: withText(text),
  dataBar: withChildren('cfvo cfvo color', { minLength: unsigned, maxLength: unsigned, showValue: bool }),
  cfvo: empty({ 'type!': oneOf('num', 'percent', 'max', 'min', 'formula', 'percentile'), val: text }),
}

const margin = { 'left!': double, 'right!': double, 'top!': double, 'bottom!': double }
const sheetFoot: Kinds = {
  hyperlinks: withChildren('hyperlink+'),
  hyperlink: empty({ 'ref!': area, 'r:id': text, location: text, tooltip: text, display: text }),
  pageMargins: empty({ ...margin, 'header!': double, 'footer!': double }),
  pageSetup: empty({
    paperSize: unsigned,
    scale: whole(10, 400),
    fitToWidth: unsigned,
    fitToHeight: unsigned,
    orientation: oneOf('default', 'portrait', 'landscape'),
    horizontalDpi: unsigned,
    verticalDpi: unsigned,
  }),
  headerFooter: withChildren('oddHeader? oddFooter?'),
  oddHeader: withText(text),
  oddFooter: withText(text),
  rowBreaks: withChildren('brk*', { count: unsigned, manualBreakCount: unsigned }),
  brk: empty({ id: unsigned, min: unsigned, max: unsigned, man: bool }),
  extLst: withChildren('ext*'),
  // The schema allows anything here; we allow only what is described.
  ext: withChildren('x14:id | x14:conditionalFormattings | x14:slicerStyles | x15:timelineStyles', {
    'uri!': oneOf(
      '{B025F937-C7B1-47D3-B67F-A62EFF666E3E}',
      '{78C0D931-6437-407d-A8EE-F0AAD7539E65}',
      '{EB79DEF2-80B8-43e5-95BD-54CBDDF9020C}',
      '{9260A510-F301-46a8-8635-F512D64BE5F5}',
    ),
  }),
}

export const spreadsheet: Kinds = { ...workbook, ...strings, ...sheetHead, ...cells, ...rules, ...sheetFoot }
