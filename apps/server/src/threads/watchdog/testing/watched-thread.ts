// The second thread of `watched-process.ts`.
import { parentPort } from 'node:worker_threads'
import { joinThreadBoard, noteWork } from '@tributary/kernel'

const place = joinThreadBoard('beside', { isReplaceable: true })
parentPort?.on('message', () => {
  noteWork('pipeline.steps', 'w2', 'request 3-0')
  for (;;) {
    // Blocks the thread until it is ended.
  }
})
place.watch()
parentPort?.postMessage('ready')
