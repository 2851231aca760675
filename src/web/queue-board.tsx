import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { render } from 'preact-render-to-string'
import { scrubTexts } from '../core/text/secret-scrubber.js'
import { HttpError, queueUnavailable } from './http/errors.js'
import type { WebPlugin } from './plugin.js'

/** A queue of BullMQ. */
export type BoardQueue = ConstructorParameters<typeof BullMQAdapter>[0]

const PREFIX = '/queue'

/** The one style that a library of bull-board adds to the page; another version may need another hash. */
const INLINE_STYLE_HASH = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='"

/**
 * As for other pages, and two things more: the address that its links start from (`base`), and one inline style, by its
 * content. Its files have it too, because a web worker obeys the policy of its own script.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${INLINE_STYLE_HASH}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * `/queue`: bull-board, for reading only. Of its operations, only those that read have a route, so that neither a mistake nor
 * another website changes the queue: repeating or removing jobs would bypass the job ids that prevent duplicates.
 * @param options.scrub removes secrets: errors of jobs may quote what a library was given
 */
export const queueBoard =
  (queue: BoardQueue, { scrub }: { scrub: (text: string) => string }): WebPlugin =>
  async (app) => {
    await app.register(async (scope) => addBoard(scope, createBoard(queue), scrub), { prefix: PREFIX })
  }

/** What bull-board registers with its server. */
interface Board {
  queues: BullBoardQueues
  routes: AppControllerRoute[]
  entry: AppViewRoute
  config: UIConfig
  /** The folder of its scripts and styles. */
  files: string
  /** Address of its files below the prefix. */
  filesRoute: string
}

function createBoard(queue: BoardQueue): Board {
  const board: Partial<Board> = {}
  const set = (parts: Partial<Board>): IServerAdapter => {
    Object.assign(board, parts)
    return adapter
  }
  const adapter: IServerAdapter = {
    setQueues: (queues) => set({ queues }),
    setApiRoutes: (routes) => set({ routes }),
    setEntryRoute: (entry) => set({ entry }),
    setUIConfig: (config) => set({ config }),
    setStaticPath: (filesRoute, files) => set({ filesRoute, files }),
    setViewsPath: () => adapter,
    setErrorHandler: () => adapter, // Errors are answered like those of every page.
  }
  const uiConfig: UIConfig = {
    boardTitle: 'Quotekeeper: queue',
    hideDocsLink: true,
    miscLinks: [
      { text: 'Back to Quotekeeper', url: '/' },
      { text: 'As a table', url: `${PREFIX}/jobs` },
    ],
  }
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter: adapter,
    options: { uiConfig },
  })
  return board as Board
}

function addBoard(app: FastifyInstance, board: Board, scrub: (text: string) => string): void {
  const { entry, routes, queues, config: uiConfig } = board
  const page = entryPage(board)
  const withoutSecrets = scrubTexts(scrub)
  for (const path of [entry.route].flat()) app.get(path, (_request, reply) => sendEntry(reply, page))
  for (const { method, route, handler } of routes) {
    if (![method].flat().includes('get')) continue
    for (const path of [route].flat())
      app.get(path, async ({ params, query }, reply) => {
        const request = { queues, uiConfig, params: params as object, query: query as object, body: {}, headers: {} }
        const { status = 200, body } = await Promise.resolve(handler(request)).catch((error: Error) => {
          // Handlers only call Redis; a TypeError is a bug, not an outage.
          throw error instanceof TypeError ? error : queueUnavailable()
        })
        const json = JSON.stringify(body, (key, value) => withoutSecrets(key, firstLines(key, value)))
        return reply.code(status).type('application/json; charset=utf-8').send(json)
      })
  }
  addFiles(app, board)
}

/** Of stack traces, which name the folders of this machine, only what went wrong. */
const firstLines = (key: string, value: unknown) =>
  key === 'stacktrace' && Array.isArray(value) ? value.map((trace) => String(trace).split('\n')[0]) : value

const sendEntry = (reply: FastifyReply, page: string) =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY).send(page)

/** The page that loads bull-board: its own one has inline styles, and a font from elsewhere. */
function entryPage({ files, config }: Pick<Board, 'files' | 'config'>): string {
  const template = readFileSync(join(dirname(files), 'index.ejs'), 'utf8')
  const named = (pattern: RegExp) => [...template.matchAll(pattern)].map(([, path = '']) => path)
  const scripts = named(/<script defer src="(static\/[^"]+)"/g)
  const styles = named(/<link href="(static\/[^"]+)" rel="stylesheet"/g)
  if (scripts.length === 0) throw new Error('bull-board: no script found in its page; is another version installed?')
  const json = JSON.stringify(config).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
  const page = render(
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <base href={`${PREFIX}/`} />
        <title>{config.boardTitle}</title>
        <link rel="icon" href="data:," />
        {styles.map((path) => (
          <link key={path} rel="stylesheet" href={path} />
        ))}
      </head>
      <body class="preload">
        <script id="__UI_CONFIG__" type="application/json" dangerouslySetInnerHTML={{ __html: json }} />
        <div id="root">
          <p>Loading…</p>
        </div>
        <noscript>
          This page needs JavaScript. <a href={`${PREFIX}/jobs`}>The jobs as a table</a>
        </noscript>
        {scripts.map((path) => (
          <script key={path} defer src={path} />
        ))}
      </body>
    </html>,
  )
  return `<!doctype html>\n${page}\n`
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Serves the files that are in the folder now, and no others. */
function addFiles(app: FastifyInstance, { files, filesRoute }: Pick<Board, 'files' | 'filesRoute'>): void {
  const paths = readdirSync(files, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name))
  const known = new Map(paths.map((path) => [relative(files, path).split(sep).join('/'), path]))
  app.get(`${filesRoute}/*`, (request, reply) => {
    const path = known.get((request.params as { '*': string })['*'])
    if (path === undefined) throw new HttpError(404, 'not found')
    return reply
      .type(TYPES[extname(path)] ?? 'application/octet-stream')
      .headers({ 'cache-control': 'private, max-age=86400', 'content-security-policy': CONTENT_SECURITY_POLICY })
      .send(createReadStream(path))
  })
}
