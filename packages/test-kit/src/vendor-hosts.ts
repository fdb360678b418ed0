// Preloaded by a test with peers that stand in for vendors. In the process and each of its threads, a TLS connection to
// one of the hosts becomes a plain one to a local port. The query of this module's URL contains the hosts and the port.
import net from 'node:net'
import tls from 'node:tls'

const { searchParams } = new URL(import.meta.url)
const hosts = new Set(searchParams.get('hosts')?.split(','))
const port = Number(searchParams.get('port'))
const connect = tls.connect as (...given: unknown[]) => unknown

const connectToPeer = (...given: unknown[]): unknown => {
  const [options] = given as [{ host?: string } | undefined]
  if (options?.host === undefined || !hosts.has(options.host)) return connect(...given)
  const socket = net.connect({ host: '127.0.0.1', port })
  // The event for which a caller waits if it requested TLS.
  socket.once('connect', () => socket.emit('secureConnect'))
  return socket
}
tls.connect = connectToPeer as typeof tls.connect
