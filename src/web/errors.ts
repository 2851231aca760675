/** The web server cannot listen. The message tells the operator why and what to do. */
export class ListenError extends Error {
  override name = 'ListenError'
}

/** Converts a system error of `listen` into an actionable one. */
export function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  return new ListenError(describe(error, host, port), { cause: error })
}

function describe({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use; stop the other program, or change web.port in the configuration`
    case 'EACCES':
      return `no permission to listen on port ${port} of ${host}; set web.port above 1023 in the configuration`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; correct web.host in the configuration`
    default:
      return `cannot listen on port ${port} of ${host} (${message}); correct web.host or web.port in the configuration`
  }
}
