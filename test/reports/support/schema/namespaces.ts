import { x14, x15, xm } from './extensions.js'
import type { Kinds } from './kind.js'
import { contentTypes, coreProperties, dc, dcterms, extendedProperties, relationships, variants } from './opc.js'
import { spreadsheet } from './spreadsheet.js'
import { styles } from './styles.js'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** The prefixes used in this description, whatever prefix a part uses. */
export const NAMESPACES: Readonly<Record<string, { uri: string; kinds: Kinds }>> = {
  x: { uri: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main', kinds: { ...spreadsheet, ...styles } },
  x14: { uri: 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main', kinds: x14 },
  x15: { uri: 'http://schemas.microsoft.com/office/spreadsheetml/2010/11/main', kinds: x15 },
  xm: { uri: 'http://schemas.microsoft.com/office/excel/2006/main', kinds: xm },
  r: { uri: `${OFFICE}/relationships`, kinds: {} },
  ct: { uri: `${PACKAGE}/content-types`, kinds: contentTypes },
  rel: { uri: `${PACKAGE}/relationships`, kinds: relationships },
  cp: { uri: `${PACKAGE}/metadata/core-properties`, kinds: coreProperties },
  ep: { uri: `${OFFICE}/extended-properties`, kinds: extendedProperties },
  vt: { uri: `${OFFICE}/docPropsVTypes`, kinds: variants },
  dc: { uri: 'http://purl.org/dc/elements/1.1/', kinds: dc },
  dcterms: { uri: 'http://purl.org/dc/terms/', kinds: dcterms },
  xml: { uri: 'http://www.w3.org/XML/1998/namespace', kinds: {} },
  xsi: { uri: 'http://www.w3.org/2001/XMLSchema-instance', kinds: {} },
  mc: { uri: 'http://schemas.openxmlformats.org/markup-compatibility/2006', kinds: {} },
}
