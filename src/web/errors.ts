/** The web server cannot listen: the message says why and what to do. Tell the operator. */
export class ListenError extends Error {
  override name = 'ListenError'
}

/** Turns what the system said about listening into what an operator can act on. */
export function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  return new ListenError(sentence(error, host, port), { cause: error })
}

function sentence({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: end the other program, or choose another web.port in the configuration`
    case 'EACCES':
      return `this user may not listen on port ${port} of ${host}: choose a web.port above 1023 in the configuration`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: correct web.host in the configuration`
    default:
      return `cannot listen on port ${port} of ${host} (${message}): correct web.host or web.port in the configuration`
  }
}
