import { open, readFile, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import { SandboxError } from './sandbox-error.js'
import type { Listing, RfqResponse, RfqTerms } from './world/document-types.js'
import type { PlannedEvent } from './world/event-schedule.js'
import { RfqRecord } from './world/rfq-record.js'
import { World } from './world/world.js'
import { seededKey } from './world/world-seed.js'

/** Documents are kept as they are, even invalid ones: only the id, which the sandbox relies on, is checked. */
const document = <T>() => z.custom<T>((value) => typeof (value as { id?: unknown } | null)?.id === 'string')
const count = z.int().nonnegative()
const plannedEvent = z.strictObject({
  at: z.number(),
  kind: z.enum(['open-rfq', 'turn', 'amend', 'decide', 'reprice'] satisfies PlannedEvent['kind'][]),
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
  agenda: z.array(plannedEvent),
})
type State = z.infer<typeof state>

/**
 * Reads a world from its state file. The file holds no API keys: each organization gets the key derived from the seed.
 * @returns null if the file does not exist
 * @throws SandboxError if the file is not a sandbox state file
 */
export async function loadWorld(file: string): Promise<World | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new SandboxError(`Cannot read the sandbox state ${file}: ${error.message}`, { cause: error })
  })
  return text === null ? null : restore(parse(file, text))
}

/** Writes a world to its state file, atomically: to a temporary file that is flushed and then renamed. */
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
    // Another file may hold a secret, and the message of JSON.parse quotes its beginning.
    const reason =
      error instanceof z.ZodError ? z.prettifyError(error).split('\n').slice(0, 3).join(' ') : 'it is not valid JSON'
    throw new SandboxError(`${file} is not a sandbox state file (${reason}). Remove it or choose another file.`)
  }
}

function restore({ seed, reached, channels, agenda }: State): World {
  const world = new World({ seed, now: new Date(reached) })
  for (const { listings, rfqs, made: created, ...ref } of channels) {
    const channel = world.addChannel({ ...ref, created })
    for (const listing of listings) channel.setListing(listing)
    for (const { terms, responses, made } of rfqs) channel.setRfq(new RfqRecord(terms, responses, made))
    world.addKey(ref.org, seededKey(world, ref.org))
  }
  world.schedule.addAll(agenda)
  return world
}

function stateOf(world: World): State {
  return {
    format: 'quotekeeper-sandbox',
    version: 1,
    seed: world.seed,
    reached: world.simulatedUntil.toISOString(),
    channels: world.channels.map(({ org, channel, theme, created, listings, rfqs }) => ({
      ...{ org, channel, theme, made: created, listings },
      rfqs: rfqs.map((record) => ({ terms: record.terms, responses: record.responses, made: record.createdResponses })),
    })),
    agenda: world.schedule.events,
  }
}

/** Saves a world shortly after each change and when closed; never runs two saves at once. */
export class StateSaver {
  #timer: NodeJS.Timeout | null = null
  #saving: Promise<void> = Promise.resolve()
  readonly #unsubscribe: () => void

  constructor(
    private readonly options: { world: World; file: string; delayMs?: number; onError: (error: Error) => void },
  ) {
    this.#unsubscribe = options.world.onChange(() => this.#scheduleSave())
  }

  /** Stops watching the world and saves it once more. Rejects with `SandboxError`. */
  async close(): Promise<void> {
    this.#unsubscribe()
    if (this.#timer) clearTimeout(this.#timer)
    await this.#saving
    await saveWorld(this.options.world, this.options.file)
  }

  #scheduleSave(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const { world, file, onError } = this.options
      this.#saving = this.#saving.then(() => saveWorld(world, file)).catch(onError)
    }, this.options.delayMs ?? 250)
  }
}
