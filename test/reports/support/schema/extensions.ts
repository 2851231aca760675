/** Data bars as Excel 2010 draws them, and the two defaults exceljs writes (MS-XLSX, 2.6). */
import { empty, type Kinds, withChildren, withText } from './kind.js'
import { colour } from './spreadsheet.js'
import { areas, bool, guid, oneOf, text, whole } from './values.js'

/** Of 2010. */
export const x14: Kinds = {
  id: withText(guid),
  conditionalFormattings: withChildren('conditionalFormatting+'),
  conditionalFormatting: withChildren('cfRule+ xm:sqref'),
  cfRule: withChildren('dataBar', { 'type!': oneOf('dataBar'), 'id!': guid }),
  dataBar: withChildren('cfvo cfvo fillColor? negativeFillColor? axisColor?', {
    minLength: whole(0, 100),
    maxLength: whole(0, 100),
    gradient: bool,
  }),
  cfvo: withChildren('xm:f?', { 'type!': oneOf('num', 'percent', 'autoMin', 'autoMax') }),
  fillColor: empty(colour),
  negativeFillColor: empty(colour),
  axisColor: empty(colour),
  slicerStyles: empty({ 'defaultSlicerStyle!': text }),
}
/** Of 2013. */
export const x15: Kinds = { timelineStyles: empty({ 'defaultTimelineStyle!': text }) }
/** Formulas and references within them. */
export const xm: Kinds = { f: withText(text), sqref: withText(areas) }
