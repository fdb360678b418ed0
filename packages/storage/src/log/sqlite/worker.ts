import { parentPort, workerData } from 'node:worker_threads'
import { joinThreadBoard } from '@tributary/kernel'
import { type AppenderCall, type AppenderOptions, type AppenderReply, openAppender } from './appender.ts'

// The entry of the log's writing thread: one appender, one call at a time.
const options: AppenderOptions = workerData
const port = parentPort
if (port === null) throw new Error('The log writer runs as a worker thread only')

const reply = (message: AppenderReply, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

// Errors lose their class and fields between threads, so only the text is passed.
const asError = (error: unknown): Error => new Error(error instanceof Error ? error.message : String(error))

// Appends that wait for their acknowledgement are lost with the thread, so it is not replaced automatically.
const place = joinThreadBoard('log-writer')
try {
  const appender = openAppender(options)
  place.watch()
  port.on('message', (call: AppenderCall) => {
    const { id, name, args } = call
    try {
      const value: unknown = Reflect.apply(appender[name], appender, args)
      reply({ id, value }, call.name === 'append' ? [call.args[0].bytes.buffer] : [])
    } catch (error) {
      reply({ id, error: asError(error) })
    }
    if (name === 'close') {
      place.leave()
      port.close()
    } else appender.maintain()
  })
  reply({ id: 0 })
} catch (error) {
  place.leave()
  reply({ id: 0, error: asError(error) })
  port.close()
}
