import type { FastifyInstance } from 'fastify'
import { type ComponentChildren, h } from 'preact'
import { render } from 'preact-render-to-string'
import { nameById } from '../../../core/text/rfq-name.js'
import type { ChangeEntry } from '../../../views/changes/changes.js'
import { rfqPath } from '../../../views/page-paths.js'
import { plain } from '../../components/format.js'
import { type PageDeps, readChannel, singleValues, withAsOf } from '../page.js'
import { checkParameters } from '../parameters.js'

const FEED_ENTRIES = 100

/** `/changes.atom`: what changed, for a feed reader (RFC 4287). */
export function addChangesFeed(app: FastifyInstance, { queries, now, suggest, channels }: PageDeps): void {
  app.get('/changes.atom', async (request, reply) => {
    checkParameters(request.query, { names: ['channel'], hasTables: false }, suggest)
    const query = singleValues(request.query)
    const { channel } = await readChannel({ query, queries, suggest, channels })
    const { entries } = await queries.changes({ ...(channel && { channel }), limit: FEED_ENTRIES })
    const base = app.access.publicUrl ?? `http://${request.host}`
    const title = `Changes${channel === undefined ? '' : ` of ${plain(channel)}`} · Quotekeeper`
    const feed = element(
      'feed',
      { xmlns: 'http://www.w3.org/2005/Atom' },
      element('id', {}, `${base}${request.url}`),
      element('title', {}, title),
      element('updated', {}, entries[0]?.observedAt ?? now().toISOString()),
      element('link', { rel: 'self', href: `${base}${request.url}` }),
      entries.map((entry) => entryOf(entry, base)),
    )
    return reply
      .type('application/atom+xml; charset=utf-8')
      .send(`<?xml version="1.0" encoding="utf-8"?>\n${render(feed)}\n`)
  })
}

function entryOf(
  { channel, rfqNumber, rfqId, rfqTitle, label, observedAt, messages, cursor }: ChangeEntry,
  base: string,
) {
  return element(
    'entry',
    {},
    element('id', {}, `urn:quotekeeper:change:${encodeURIComponent(cursor)}`),
    element('title', {}, plain(`RFQ ${rfqNumber ?? rfqId} ${rfqTitle ?? ''}: ${label}`)),
    element('updated', {}, observedAt),
    element('author', {}, element('name', {}, channel)),
    element('link', { href: `${base}${withAsOf(rfqPath(channel, nameById(rfqId)), observedAt)}` }),
    element('summary', {}, plain(messages.join(' '))),
  )
}

/** An element of XML; its texts are escaped by the renderer. */
const element = (name: string, attributes: Record<string, string>, ...children: ComponentChildren[]) =>
  h(name, attributes, ...children)
