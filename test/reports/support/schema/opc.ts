/** The package: content types, relationships, properties (ECMA-376 part 2, 7 to 10; part 1, 22.2 and 22.4). */
import { empty, holds, type Kinds, says } from './kind.js'
import { bool, moment, oneOf, signed, text, unsigned, type Value, xmlId } from './values.js'

const partName: Value = (name) => /^(?:\/[^/\\?#]*[^/\\?#.])+$/.test(name)
const mediaType: Value = (name) => /^[\w.+-]+\/[\w.+-]+$/.test(name)
/** A colon ends a scheme, or stands behind the first `/`, `?` or `#` (RFC 3986, 4.2). */
const uri: Value = (name) => /^(?:[a-z][a-z\d+.-]*:|[^:]+$|[^:]*[/?#])\S*$/i.test(name)
const dated = says(moment, { 'xsi:type!': oneOf('dcterms:W3CDTF') })

export const contentTypes: Kinds = {
  Types: holds('(Default | Override)*'),
  Default: empty({ 'Extension!': (name) => /^\w+$/.test(name), 'ContentType!': mediaType }),
  Override: empty({ 'ContentType!': mediaType, 'PartName!': partName }),
}

export const relationships: Kinds = {
  Relationships: holds('Relationship*'),
  Relationship: empty({
    'Id!': xmlId,
    'Type!': (type) => /^https?:\/\/\S+$/.test(type),
    'Target!': uri,
    TargetMode: oneOf('External', 'Internal'),
  }),
}

export const coreProperties: Kinds = {
  coreProperties: {
    ...holds(
      'category? contentStatus? dcterms:created? dc:creator? dc:description? dc:identifier? keywords? dc:language? ' +
        'lastModifiedBy? dcterms:modified? dc:subject? dc:title?',
    ),
    anyOrder: true,
  },
  category: says(text),
  contentStatus: says(text),
  keywords: says(text),
  lastModifiedBy: says(text),
}
/** Dublin Core. */
export const dc: Kinds = {
  creator: says(text),
  description: says(text),
  identifier: says(text),
  language: says(text),
  subject: says(text),
  title: says(text),
}
export const dcterms: Kinds = { created: dated, modified: dated }

export const extendedProperties: Kinds = {
  Properties: {
    ...holds(
      'Application? DocSecurity? ScaleCrop? HeadingPairs? TitlesOfParts? Company? LinksUpToDate? SharedDoc? ' +
        'HyperlinksChanged? AppVersion?',
    ),
    anyOrder: true,
  },
  Application: says(text),
  DocSecurity: says(signed),
  ScaleCrop: says(bool),
  HeadingPairs: holds('vt:vector'),
  TitlesOfParts: holds('vt:vector'),
  Company: says(text),
  LinksUpToDate: says(bool),
  SharedDoc: says(bool),
  HyperlinksChanged: says(bool),
  AppVersion: says((version) => /^\d{1,2}\.\d{4}$/.test(version)),
}
export const variants: Kinds = {
  vector: holds('variant+ | lpstr+', { 'baseType!': oneOf('variant', 'lpstr'), 'size!': unsigned }),
  variant: holds('lpstr | i4'),
  lpstr: says(text),
  i4: says(signed),
}
