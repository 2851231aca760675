import { expect, it } from 'vitest'
import { partialReason } from '../../src/marketplace/replies.js'

const ENTRIES = 20
const reasonOf = ({ headers = {}, ...envelope }: { headers?: Record<string, string> } & Record<string, unknown>) =>
  partialReason(headers, { ...envelope, items: [] }, ENTRIES)

it.each([
  { total: 24, hasMore: true },
  { total: 24 },
  { totalCount: '24' },
  { meta: { pagination: { total_items: 24 } } },
  { has_more: true },
  { pageInfo: { hasNextPage: true, endCursor: 'x' } },
  { next: 'https://marketplace.example.com/rfqs?page=2' },
  { links: { self: { href: '/rfqs' }, next: { href: '/rfqs?page=2' } } },
  { _links: { next: '/rfqs?page=2' } },
  { '@odata.nextLink': '/rfqs?page=2' },
  { nextCursor: 'abc' },
  { response_metadata: { next_cursor: 'abc' } },
  { nextPageToken: 'abc' },
  { nextPage: 2 },
  { headers: { link: '</rfqs?page=1>; rel="self", </rfqs?page=2>; rel="next"' } },
  { headers: { link: '</rfqs?page=2>; rel=next' } },
  { headers: { link: '</rfqs?page=2>; rel="last next"; title="more"' } },
  { headers: { 'x-total-count': '24' } },
  { headers: { 'x-next-page': '2' } },
])('a list says that it is only a part: %j', (list) => {
  expect(reasonOf(list)).toEqual(expect.any(String))
})

it.each([
  {},
  { total: 20, count: 20, hasMore: false },
  { total: 0, totalPages: 1, nextPage: null, next: '', cursor: null },
  { links: { self: '/rfqs', prev: '/rfqs?page=0', next: { href: null } } },
  { has_more: false, cursor: 'abc' },
  { pageInfo: { hasNextPage: false, endCursor: 'x' } },
  { totalVolume: 50_000, nextUpdate: '2026-12-01', facets: { country: { count: 40 } } },
  { headers: { link: '</rfqs?page=0>; rel="prev"; title="next", </style.css>; rel=preload' } },
  { headers: { 'x-total-count': '20', 'x-next-page': '' } },
])('a list does not say that it is only a part: %j', (list) => {
  expect(reasonOf(list)).toBeNull()
})
