import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

const chunk = (kind: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A black PNG with one byte per pixel: a few kilobytes for millions of pixels. */
export const blackPng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The status code of a response, or 0 if the connection ended without one. */
export const statusOfSocket = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    let text = ''
    socket.on('data', (data: Buffer) => {
      if (text.length < 12) text += data.toString('latin1')
      if (text.length >= 12) resolve(Number(text.slice(9, 12)))
    })
    socket.on('error', () => resolve(0))
    socket.on('close', () => resolve(0))
  })

/** Opens a connection and sends the beginning of a request unchanged. */
export const openSocket = async (origin: string, text: string): Promise<Socket> => {
  const { port } = new URL(origin)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** A message of a PostgreSQL server: its kind, its announced length (including these four bytes), its content. */
const message = (kind: string, content: Buffer, announced = content.length + 4): Buffer => {
  const head = Buffer.alloc(5)
  head.write(kind, 'latin1')
  head.writeUInt32BE(announced, 1)
  return Buffer.concat([head, content])
}

/** Maximum bytes sent, to protect the machine of the test. */
const maxSent = 700 * 1024 * 1024

/**
 * Starts a server with PostgreSQL's protocol that accepts every client and responds to the first query with a row of
 * two gigabytes.
 */
export const startEndlessPostgres = async (): Promise<AsyncDisposable & { port: number }> => {
  const signedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])
  const filler = Buffer.alloc(64 * 1024, 0x61)
  const flood = (socket: Socket): void => {
    while (socket.writable && socket.bytesWritten < maxSent) if (!socket.write(filler)) return
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => {
      socket.write(signedIn)
      socket.once('data', () => {
        socket.on('drain', () => flood(socket))
        socket.write(Buffer.concat([message('T', Buffer.alloc(2)), message('D', Buffer.alloc(0), 2 ** 31 - 1)]))
        flood(socket)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
