/** Fonts, fills, borders, formats (ECMA-376 part 1, 18.8). */
import { empty, type Kinds, optional, val, withChildren } from './kind.js'
import { colour } from './spreadsheet.js'
import { bool, double, oneOf, signed, text, unsigned, whole } from './values.js'

const counted = { count: unsigned }
const LINES = oneOf('none', 'thin', 'medium', 'dashed', 'dotted', 'thick', 'double', 'hair')
const side = withChildren('color?', { style: LINES })

const looks: Kinds = {
  font: withChildren('b? i? strike? u? vertAlign? sz? color? name? family? charset? scheme?'),
  b: optional(bool),
  i: optional(bool),
  strike: optional(bool),
  u: optional(oneOf('single', 'double', 'singleAccounting', 'doubleAccounting', 'none')),
  vertAlign: val(oneOf('baseline', 'superscript', 'subscript')),
  sz: val(double),
  color: empty(colour),
  name: val(text),
  family: val(whole(0, 14)),
  charset: val(signed),
  scheme: val(oneOf('none', 'major', 'minor')),
  fill: withChildren('patternFill'),
  patternFill: withChildren('fgColor? bgColor?', { patternType: oneOf('none', 'solid', 'gray125') }),
  fgColor: empty(colour),
  bgColor: empty(colour),
  border: withChildren('left? right? top? bottom? diagonal?'),
  left: side,
  right: side,
  top: side,
  bottom: side,
  diagonal: side,
  numFmt: empty({ 'numFmtId!': unsigned, 'formatCode!': text }),
  alignment: empty({
    horizontal: oneOf('general', 'left', 'center', 'right', 'fill', 'justify'),
    vertical: oneOf('top', 'center', 'bottom', 'justify', 'distributed'),
    wrapText: bool,
    indent: unsigned,
  }),
  protection: empty({ locked: bool, hidden: bool }),
}

const uses = { numFmtId: unsigned, fontId: unsigned, fillId: unsigned, borderId: unsigned, xfId: unsigned }
const applies = { applyNumberFormat: bool, applyFont: bool, applyFill: bool, applyBorder: bool }

export const styles: Kinds = {
  ...looks,
  styleSheet: withChildren(
    'numFmts? fonts? fills? borders? cellStyleXfs? cellXfs? cellStyles? dxfs? tableStyles? colors? extLst?',
  ),
  numFmts: withChildren('numFmt+', counted),
  fonts: withChildren('font+', counted),
  fills: withChildren('fill+', counted),
  borders: withChildren('border+', counted),
  cellStyleXfs: withChildren('xf+', counted),
  cellXfs: withChildren('xf+', counted),
  xf: withChildren('alignment? protection?', { ...uses, ...applies, applyAlignment: bool, applyProtection: bool }),
  cellStyles: withChildren('cellStyle+', counted),
  cellStyle: empty({ name: text, 'xfId!': unsigned, builtinId: unsigned }),
  dxfs: withChildren('dxf*', counted),
  dxf: withChildren('font? numFmt? fill? alignment? border? protection?'),
  tableStyles: empty({ ...counted, defaultTableStyle: text, defaultPivotStyle: text }),
}
