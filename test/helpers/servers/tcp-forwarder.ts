import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A port that belongs to one server and later to another, as an address that moves at a fail-over. It can stop forwarding without
 * closing anything, as a network that is cut.
 */
export class TcpForwarder {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #target: number
  #isCut = false
  /** Clients that connected while it was cut. */
  #waiting: Socket[] = []

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      client.on('error', () => undefined)
      if (this.#isCut) this.#waiting.push(client)
      else this.#forward(client)
    })
  }

  static async start(target: number): Promise<TcpForwarder> {
    const forwarder = new TcpForwarder(target)
    await new Promise<void>((resolve) => forwarder.#server.listen(0, '127.0.0.1', resolve))
    return forwarder
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** New connections go there; those that exist stay where they are. */
  moveTo(target: number): void {
    this.#target = target
  }

  cut(): void {
    this.#isCut = true
    for (const socket of [...this.#pairs].flat()) socket.pause()
  }

  mend(): void {
    this.#isCut = false
    for (const socket of [...this.#pairs].flat()) socket.resume()
    for (const client of this.#waiting.splice(0)) this.#forward(client)
  }

  close(): void {
    for (const socket of [...this.#pairs].flat().concat(this.#waiting)) socket.destroy()
    this.#server.close()
  }

  #forward(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    const pair = [client, server] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on('data', (data) => to.write(data))
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
    if (!this.#isCut) client.resume()
  }
}
