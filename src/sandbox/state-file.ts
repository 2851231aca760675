import { open, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { Listing, RfqResponse, RfqTerms } from './document-types.js'
import type { Plan } from './event-schedule.js'
import { RfqRecord } from './rfq-record.js'
import { SandboxError } from './sandbox-error.js'
import { World } from './world.js'
import { drawKey } from './world-seed.js'

/** Documents are kept as they are, odd ones too: only what the sandbox itself relies on is checked. */
const document = <T>() => z.custom<T>((value) => typeof (value as { id?: unknown } | null)?.id === 'string')
const count = z.int().nonnegative()
const plan = z.strictObject({
  at: z.number(),
  kind: z.enum(['open-rfq', 'turn', 'amend', 'decide', 'reprice'] satisfies Plan['kind'][]),
  channel: z.string(),
  rfqId: z.string(),
  n: count,
})
const state = z.strictObject({
  format: z.literal('quotekeeper-sandbox'),
  version: z.literal(1),
  seed: z.number(),
  reached: z.iso.datetime(),
  channels: z.array(
    z.strictObject({
      org: z.string(),
      channel: z.string(),
      theme: z.enum(['forest', 'blue', 'removal', 'energy', 'any']),
      made: z.strictObject({ listings: count, rfqs: count }),
      listings: z.array(document<Listing>()),
      rfqs: z.array(
        z.strictObject({ terms: document<RfqTerms>(), responses: z.array(document<RfqResponse>()), made: count }),
      ),
    }),
  ),
  agenda: z.array(plan),
})
type State = z.infer<typeof state>

/**
 * Reads a world from its file. Keys are not in it: each organization has the one of its seed until others are added.
 * @returns null where there is no such file
 * @throws SandboxError where the file is not one of ours
 */
export async function loadWorld(file: string): Promise<World | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new SandboxError(`Cannot read the sandbox state ${file}: ${error.message}`, { cause: error })
  })
  return text === null ? null : restore(parse(file, text))
}

/** Writes a world to its file: to a temporary one beside it, flushed, and renamed. */
export async function saveWorld(world: World, file: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      await handle.writeFile(JSON.stringify(stateOf(world)))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw new SandboxError(`Cannot write the sandbox state ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function parse(file: string, text: string): State {
  try {
    return state.parse(JSON.parse(text))
  } catch (error) {
    const why =
      error instanceof z.ZodError ? z.prettifyError(error).split('\n').slice(0, 3).join(' ') : (error as Error).message
    throw new SandboxError(`${file} is no sandbox state (${why}). Remove it, or name another file.`, { cause: error })
  }
}

function restore({ seed, reached, channels, agenda }: State): World {
  const world = new World({ seed, now: new Date(reached) })
  for (const { listings, rfqs, ...ref } of channels) {
    const channel = world.addChannel(ref)
    for (const listing of listings) channel.setListing(listing)
    for (const { terms, responses, made } of rfqs) channel.setRfq(new RfqRecord(terms, responses, made))
    world.addKey(ref.org, drawKey(world, ref.org))
  }
  world.agenda.addAll(agenda)
  return world
}

function stateOf(world: World): State {
  return {
    format: 'quotekeeper-sandbox',
    version: 1,
    seed: world.seed,
    reached: world.reached.toISOString(),
    channels: world.channels.map(({ org, channel, theme, made, listings, rfqs }) => ({
      ...{ org, channel, theme, made, listings },
      rfqs: rfqs.map((record) => ({ terms: record.terms, responses: record.responses, made: record.made })),
    })),
    agenda: world.agenda.plans,
  }
}

/** Saves a world a moment after it changed, never twice at once, and when it ends. */
export class StateKeeper {
  #timer: NodeJS.Timeout | null = null
  #saving: Promise<void> = Promise.resolve()
  readonly #stop: () => void

  constructor(
    private readonly options: { world: World; file: string; delayMs?: number; onError: (error: Error) => void },
  ) {
    this.#stop = options.world.onChange(() => this.#soon())
  }

  /** Saves for the last time. Rejects with `SandboxError`. */
  async close(): Promise<void> {
    this.#stop()
    if (this.#timer) clearTimeout(this.#timer)
    await this.#saving
    await saveWorld(this.options.world, this.options.file)
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const { world, file, onError } = this.options
      this.#saving = this.#saving.then(() => saveWorld(world, file)).catch(onError)
    }, this.options.delayMs ?? 250)
  }
}
