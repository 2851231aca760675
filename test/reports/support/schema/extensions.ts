/** Data bars as Excel 2010 draws them, and the two defaults exceljs writes (MS-XLSX, 2.6). */
import { empty, holds, type Kinds, says } from './kind.js'
import { colour } from './spreadsheet.js'
import { areas, bool, guid, oneOf, text, whole } from './values.js'

/** Of 2010. */
export const x14: Kinds = {
  id: says(guid),
  conditionalFormattings: holds('conditionalFormatting+'),
  conditionalFormatting: holds('cfRule+ xm:sqref'),
  cfRule: holds('dataBar', { 'type!': oneOf('dataBar'), 'id!': guid }),
  dataBar: holds('cfvo cfvo fillColor? negativeFillColor? axisColor?', {
    minLength: whole(0, 100),
    maxLength: whole(0, 100),
    gradient: bool,
  }),
  cfvo: holds('xm:f?', { 'type!': oneOf('num', 'percent', 'autoMin', 'autoMax') }),
  fillColor: empty(colour),
  negativeFillColor: empty(colour),
  axisColor: empty(colour),
  slicerStyles: empty({ 'defaultSlicerStyle!': text }),
}
/** Of 2013. */
export const x15: Kinds = { timelineStyles: empty({ 'defaultTimelineStyle!': text }) }
/** Formulas and references within them. */
export const xm: Kinds = { f: says(text), sqref: says(areas) }
