/** One place where two documents differ; undefined where one of them has nothing. */
export interface Difference {
  /** Such as `offer.totalPrice`; empty for the document as a whole. */
  path: string
  before: unknown
  after: unknown
}

/** Where two parsed JSON documents differ, in the order of the later one. Lists are compared place by place. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) {
    return Object.is(before, after) ? [] : [{ path, before, after }]
  }
  const keys = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...keys].flatMap((key) => differences(member(before, key), member(after, key), join(path, key, after)))
}

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null
const member = (tree: Tree, key: string) => (Object.hasOwn(tree, key) ? tree[key] : undefined)
const join = (path: string, key: string, parent: unknown) => {
  if (Array.isArray(parent)) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

/** `totalPrice 100 → 90`, for a table. */
export const inWords = ({ path, before, after }: Difference) => `${path || 'all'} ${show(before)} → ${show(after)}`

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (isTree(value)) return Array.isArray(value) ? `[${value.length}]` : '{…}'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
