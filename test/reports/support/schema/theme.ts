/** The theme, which exceljs writes identically into every workbook (ECMA-376 part 1, 20.1.6). */
import { empty, type Kinds, withChildren } from './kind.js'
import { bool, oneOf, signed, text, unsigned, whole } from './values.js'

const named = { 'name!': text }
const angle = whole(0, 21_599_999)
const distance = whole(0, 27_273_042_316_900)
const anyColour = withChildren('srgbClr | schemeClr | sysClr')
const COLOURS = ['dk1', 'lt1', 'dk2', 'lt2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6'].concat(
  'hlink',
  'folHlink',
)
const fonts = withChildren('latin ea cs font*')
const THREE_FILLS = '(solidFill | gradFill) (solidFill | gradFill) (solidFill | gradFill)+'
const reference = (index: typeof text) => withChildren('(srgbClr | schemeClr | sysClr)?', { 'idx!': index })
const defaults = withChildren('spPr bodyPr lstStyle style?')

export const theme: Kinds = {
  theme: withChildren('themeElements objectDefaults? extraClrSchemeLst?', { name: text }),
  themeElements: withChildren('clrScheme fontScheme fmtScheme'),
  clrScheme: withChildren(COLOURS.join(' '), named),
  ...Object.fromEntries(COLOURS.map((name) => [name, anyColour])),
  fontScheme: withChildren('majorFont minorFont', named),
  majorFont: fonts,
  minorFont: fonts,
  font: empty({ 'script!': text, 'typeface!': text }),
  fmtScheme: withChildren('fillStyleLst lnStyleLst effectStyleLst bgFillStyleLst', { name: text }),
  fillStyleLst: withChildren(THREE_FILLS),
  bgFillStyleLst: withChildren(THREE_FILLS),
  gradFill: withChildren('gsLst (lin | path)?', { rotWithShape: bool }),
  gsLst: withChildren('gs gs+'),
  gs: withChildren('srgbClr | schemeClr | sysClr', { 'pos!': whole(0, 100_000) }),
  lin: empty({ ang: angle, scaled: bool }),
  path: withChildren('fillToRect?', { path: oneOf('shape', 'circle', 'rect') }),
  fillToRect: empty({ l: signed, t: signed, r: signed, b: signed }),
  lnStyleLst: withChildren('ln ln ln+'),
  effectStyleLst: withChildren('effectStyle effectStyle effectStyle+'),
  effectStyle: withChildren('effectLst scene3d? sp3d?'),
  effectLst: withChildren('outerShdw?'),
  outerShdw: withChildren('srgbClr | schemeClr', { blurRad: distance, dist: distance, dir: angle, rotWithShape: bool }),
  scene3d: withChildren('camera lightRig'),
  camera: withChildren('rot?', { 'prst!': oneOf('orthographicFront') }),
  lightRig: withChildren('rot?', { 'rig!': oneOf('threePt'), 'dir!': oneOf('t') }),
  rot: empty({ 'lat!': angle, 'lon!': angle, 'rev!': angle }),
  sp3d: withChildren('bevelT?'),
  bevelT: empty({ w: distance, h: distance }),
  objectDefaults: withChildren('spDef? lnDef?'),
  spDef: defaults,
  lnDef: defaults,
  spPr: empty(),
  style: withChildren('lnRef fillRef effectRef fontRef'),
  lnRef: reference(unsigned),
  fillRef: reference(unsigned),
  effectRef: reference(unsigned),
  fontRef: reference(oneOf('major', 'minor', 'none')),
  extraClrSchemeLst: empty(),
}
