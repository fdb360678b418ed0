import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a browser and the product, which can make the product unreachable for a while. */
export type Gate = AsyncDisposable & {
  url: string
  /** Ends all connections; new connections are refused, like connections to a server that is not running. */
  shut(): Promise<void>
  open(): Promise<void>
}

/** Opens a gate in front of a running product, on its own port. The gate lets connections pass at first. */
export const openGate = async (target: string): Promise<Gate> => {
  const port = Number(new URL(target).port)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  })
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const shut = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${own}`, shut, open: () => listen(own), [Symbol.asyncDispose]: shut }
}
