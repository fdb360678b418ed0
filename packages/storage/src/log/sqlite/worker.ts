import { parentPort, workerData } from 'node:worker_threads'
import { joinThreadBoard } from '@tributary/kernel'
import { type AppenderOptions, openAppender } from './appender.ts'
import type { BackendReply, BackendRequest } from './backend.ts'

// The entry of the log's writing thread: one appender, one request at a time.
const options: AppenderOptions = workerData
const port = parentPort
if (port === null) throw new Error('The log writer runs as a worker thread only')

const reply = (message: BackendReply, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

// Errors lose their class and fields between threads, so only the text is passed.
const asError = (error: unknown): Error => new Error(error instanceof Error ? error.message : String(error))

// Appends that wait for their acknowledgement are lost with the thread, so it is not replaced automatically.
const place = joinThreadBoard('log-writer')
try {
  const appender = openAppender(options)
  place.watch()
  const answer = (request: BackendRequest): BackendReply => {
    const { id } = request
    if (request.kind === 'append')
      return { id, value: { firsts: appender.append(request.group), memory: request.group.bytes.buffer } }
    if (request.kind === 'stats') return { id, value: appender.stats() }
    if (request.kind === 'begin-epoch') return { id, value: appender.beginEpoch(request.producer) }
    if (request.kind === 'last-sequences') return { id, value: appender.lastSequences(request.producer) }
    if (request.kind === 'trim') appender.trim(request.before)
    else appender.close()
    return { id, value: undefined }
  }
  port.on('message', (request: BackendRequest) => {
    try {
      reply(answer(request), request.kind === 'append' ? [request.group.bytes.buffer] : [])
    } catch (error) {
      reply({ id: request.id, error: asError(error) })
    }
    if (request.kind === 'close') {
      place.leave()
      port.close()
    } else appender.maintain()
  })
  reply({ id: 0, value: undefined })
} catch (error) {
  place.leave()
  reply({ id: 0, error: asError(error) })
  port.close()
}
