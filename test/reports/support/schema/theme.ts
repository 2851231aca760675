/** The theme, which exceljs writes identically into every workbook (ECMA-376 part 1, 20.1.6). */
import { empty, holds, type Kinds } from './kind.js'
import { bool, oneOf, signed, text, unsigned, whole } from './values.js'

const named = { 'name!': text }
const angle = whole(0, 21_599_999)
const distance = whole(0, 27_273_042_316_900)
const anyColour = holds('srgbClr | schemeClr | sysClr')
const COLOURS = ['dk1', 'lt1', 'dk2', 'lt2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6'].concat(
  'hlink',
  'folHlink',
)
const fonts = holds('latin ea cs font*')
const THREE_FILLS = '(solidFill | gradFill) (solidFill | gradFill) (solidFill | gradFill)+'
const reference = (index: typeof text) => holds('(srgbClr | schemeClr | sysClr)?', { 'idx!': index })
const defaults = holds('spPr bodyPr lstStyle style?')

export const theme: Kinds = {
  theme: holds('themeElements objectDefaults? extraClrSchemeLst?', { name: text }),
  themeElements: holds('clrScheme fontScheme fmtScheme'),
  clrScheme: holds(COLOURS.join(' '), named),
  ...Object.fromEntries(COLOURS.map((name) => [name, anyColour])),
  fontScheme: holds('majorFont minorFont', named),
  majorFont: fonts,
  minorFont: fonts,
  font: empty({ 'script!': text, 'typeface!': text }),
  fmtScheme: holds('fillStyleLst lnStyleLst effectStyleLst bgFillStyleLst', { name: text }),
  fillStyleLst: holds(THREE_FILLS),
  bgFillStyleLst: holds(THREE_FILLS),
  gradFill: holds('gsLst (lin | path)?', { rotWithShape: bool }),
  gsLst: holds('gs gs+'),
  gs: holds('srgbClr | schemeClr | sysClr', { 'pos!': whole(0, 100_000) }),
  lin: empty({ ang: angle, scaled: bool }),
  path: holds('fillToRect?', { path: oneOf('shape', 'circle', 'rect') }),
  fillToRect: empty({ l: signed, t: signed, r: signed, b: signed }),
  lnStyleLst: holds('ln ln ln+'),
  effectStyleLst: holds('effectStyle effectStyle effectStyle+'),
  effectStyle: holds('effectLst scene3d? sp3d?'),
  effectLst: holds('outerShdw?'),
  outerShdw: holds('srgbClr | schemeClr', { blurRad: distance, dist: distance, dir: angle, rotWithShape: bool }),
  scene3d: holds('camera lightRig'),
  camera: holds('rot?', { 'prst!': oneOf('orthographicFront') }),
  lightRig: holds('rot?', { 'rig!': oneOf('threePt'), 'dir!': oneOf('t') }),
  rot: empty({ 'lat!': angle, 'lon!': angle, 'rev!': angle }),
  sp3d: holds('bevelT?'),
  bevelT: empty({ w: distance, h: distance }),
  objectDefaults: holds('spDef? lnDef?'),
  spDef: defaults,
  lnDef: defaults,
  spPr: empty(),
  style: holds('lnRef fillRef effectRef fontRef'),
  lnRef: reference(unsigned),
  fillRef: reference(unsigned),
  effectRef: reference(unsigned),
  fontRef: reference(oneOf('major', 'minor', 'none')),
  extraClrSchemeLst: empty(),
}
