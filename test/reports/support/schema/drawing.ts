/** Where drawings stand on a sheet, and the shapes, text and colours within (ECMA-376 part 1, 20.1, 20.5, 21.1). */
import { empty, type Kinds, val, withChildren, withText } from './kind.js'
import { bool, language, oneOf, rgb, signed, text, unsigned, whole } from './values.js'

const place = whole(-27_273_042_329_600, 27_273_042_316_900)
const extent = whole(0, 27_273_042_316_900)
const anchor = withChildren('col colOff row rowOff')
const index = withText(whole(0, 1_048_575))

export const spreadsheetDrawing: Kinds = {
  wsDr: withChildren('twoCellAnchor*'),
  twoCellAnchor: withChildren('from to graphicFrame clientData', { editAs: oneOf('twoCell', 'oneCell', 'absolute') }),
  from: anchor,
  to: anchor,
  col: index,
  colOff: withText(place),
  row: index,
  rowOff: withText(place),
  graphicFrame: withChildren('nvGraphicFramePr xfrm a:graphic', { 'macro!': text }),
  nvGraphicFramePr: withChildren('cNvPr cNvGraphicFramePr'),
  cNvPr: empty({ 'id!': unsigned, 'name!': text, descr: text, title: text, hidden: bool }),
  cNvGraphicFramePr: empty(),
  xfrm: withChildren('a:off? a:ext?'),
  clientData: empty({ fLocksWithSheet: bool, fPrintsWithSheet: bool }),
}

const SCHEME = ['bg1', 'tx1', 'bg2', 'tx2', 'hlink', 'folHlink', 'phClr', 'dk1', 'lt1', 'dk2', 'lt2'].concat(
  [1, 2, 3, 4, 5, 6].map((number) => `accent${number}`),
)
const DASHES = oneOf('solid', 'dot', 'dash', 'lgDash', 'dashDot', 'lgDashDot', 'sysDash', 'sysDot')
const percentage = val(signed)
const share = val(whole(0, 100_000))
const TRANSFORMS = '(tint | shade | alpha | satMod | lumMod)*'
const letters = withChildren('solidFill? latin? ea? cs?', { lang: language, sz: whole(100, 400_000), b: bool, i: bool })

export const colours: Kinds = {
  solidFill: withChildren('srgbClr | schemeClr | sysClr'),
  noFill: empty(),
  srgbClr: withChildren(TRANSFORMS, { 'val!': rgb }),
  schemeClr: withChildren(TRANSFORMS, { 'val!': oneOf(...SCHEME) }),
  sysClr: withChildren(TRANSFORMS, { 'val!': oneOf('window', 'windowText'), lastClr: rgb }),
  tint: share,
  shade: share,
  alpha: share,
  satMod: percentage,
  lumMod: percentage,
  ln: withChildren('(noFill | solidFill)? prstDash?', {
    w: whole(0, 20_116_800),
    cap: oneOf('rnd', 'sq', 'flat'),
    cmpd: oneOf('sng', 'dbl', 'thickThin', 'thinThick', 'tri'),
    algn: oneOf('ctr', 'in'),
  }),
  prstDash: val(DASHES),
}

const face = empty({ 'typeface!': text })
export const writing: Kinds = {
  bodyPr: empty(),
  lstStyle: empty(),
  p: withChildren('pPr? r* endParaRPr?'),
  pPr: withChildren('defRPr?'),
  defRPr: letters,
  endParaRPr: letters,
  r: withChildren('rPr? t'),
  rPr: letters,
  t: withText(text),
  latin: face,
  ea: face,
  cs: face,
}

export const framing: Kinds = {
  off: empty({ 'x!': place, 'y!': place }),
  ext: empty({ 'cx!': extent, 'cy!': extent }),
  graphic: withChildren('graphicData'),
  graphicData: withChildren('c:chart=ChartReference', {
    'uri!': oneOf('http://schemas.openxmlformats.org/drawingml/2006/chart'),
  }),
}
