import { describeChanges, describedDocument, describeNewDocument } from '../../core/changes/describe-changes.js'
import type { Sentence } from '../../core/changes/document-difference.js'
import type { Version } from '../../core/records.js'

/** A version of a document, as far as it says what changed. */
export type HistoryVersion = Pick<Version, 'kind' | 'version' | 'observedAt' | 'shape' | 'body'> &
  Partial<Pick<Version, 'exactBody'>>

/**
 * What a version of an RFQ or an offer changed.
 * @param previous null for the first version, which appeared
 * @param isClosedByUs Quotekeeper closed the RFQ in this version
 */
export function changesOfVersion(
  previous: HistoryVersion | null,
  version: HistoryVersion,
  isClosedByUs = false,
): Sentence[] {
  const { observedAt, shape } = version
  const document = documentOf(version)
  if (previous === null) return [{ event: 'appeared', message: describeNewDocument(document, observedAt), fields: [] }]
  const closedBy = isClosedByUs ? 'Quotekeeper' : null
  const sentences = describeChanges(documentOf(previous), document, { observedAt, closedBy })
  if (previous.shape === shape) return sentences
  const message =
    shape === 'full' ? 'Read in full; before, only part of it was known.' : 'Could no longer be read in full.'
  return [{ event: 'detail', message, fields: [] }, ...sentences]
}

function documentOf(version: HistoryVersion) {
  const body = 'exactBody' in version ? version.exactBody : version.body
  return describedDocument(version.kind === 'rfq' ? 'rfq' : 'response', version.shape, body)
}
