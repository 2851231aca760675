/** The package: content types, relationships, properties (ECMA-376 part 2, 7 to 10; part 1, 22.2 and 22.4). */
import { empty, type Kinds, withChildren, withText } from './kind.js'
import { bool, moment, oneOf, signed, text, unsigned, type Value, xmlId } from './values.js'

const partName: Value = (name) => /^(?:\/[^/\\?#]*[^/\\?#.])+$/.test(name)
const mediaType: Value = (name) => /^[\w.+-]+\/[\w.+-]+$/.test(name)
/** A colon ends a scheme, or stands behind the first `/`, `?` or `#` (RFC 3986, 4.2). */
const uri: Value = (name) => /^(?:[a-z][a-z\d+.-]*:|[^:]+$|[^:]*[/?#])\S*$/i.test(name)
const dated = withText(moment, { 'xsi:type!': oneOf('dcterms:W3CDTF') })

export const contentTypes: Kinds = {
  Types: withChildren('(Default | Override)*'),
  Default: empty({ 'Extension!': (name) => /^\w+$/.test(name), 'ContentType!': mediaType }),
  Override: empty({ 'ContentType!': mediaType, 'PartName!': partName }),
}

export const relationships: Kinds = {
  Relationships: withChildren('Relationship*'),
  Relationship: empty({
    'Id!': xmlId,
    'Type!': (type) => /^https?:\/\/\S+$/.test(type),
    'Target!': uri,
    TargetMode: oneOf('External', 'Internal'),
  }),
}

export const coreProperties: Kinds = {
  coreProperties: {
    ...withChildren(
      'category? contentStatus? dcterms:created? dc:creator? dc:description? dc:identifier? keywords? dc:language? ' +
        'lastModifiedBy? dcterms:modified? dc:subject? dc:title?',
    ),
    anyOrder: true,
  },
  category: withText(text),
  contentStatus: withText(text),
  keywords: withText(text),
  lastModifiedBy: withText(text),
}
/** Dublin Core. */
export const dc: Kinds = {
  creator: withText(text),
  description: withText(text),
  identifier: withText(text),
  language: withText(text),
  subject: withText(text),
  title: withText(text),
}
export const dcterms: Kinds = { created: dated, modified: dated }

export const extendedProperties: Kinds = {
  Properties: {
    ...withChildren(
      'Application? DocSecurity? ScaleCrop? HeadingPairs? TitlesOfParts? Company? LinksUpToDate? SharedDoc? ' +
        'HyperlinksChanged? AppVersion?',
    ),
    anyOrder: true,
  },
  Application: withText(text),
  DocSecurity: withText(signed),
  ScaleCrop: withText(bool),
  HeadingPairs: withChildren('vt:vector'),
  TitlesOfParts: withChildren('vt:vector'),
  Company: withText(text),
  LinksUpToDate: withText(bool),
  SharedDoc: withText(bool),
  HyperlinksChanged: withText(bool),
  AppVersion: withText((version) => /^\d{1,2}\.\d{4}$/.test(version)),
}
export const variants: Kinds = {
  vector: withChildren('variant+ | lpstr+', { 'baseType!': oneOf('variant', 'lpstr'), 'size!': unsigned }),
  variant: withChildren('lpstr | i4'),
  lpstr: withText(text),
  i4: withText(signed),
}
