import type { LogWriter } from '@tributary/storage'
import type { Outbound } from '@tributary/syncs'
import type { Answers, Client } from '../../threads/messages/message.ts'
import type { PipelineMessages } from '../../threads/messages/pipeline.ts'

type Stream = ReturnType<Outbound['streamFor']>

/** Handlers in the thread with the stream's writer, for other threads and processes that append. */
export const streamAnswers = (
  stream: Pick<LogWriter, keyof Stream>,
): Pick<Answers<PipelineMessages>, 'stream-append' | 'stream-begin-epoch' | 'stream-last-sequences'> => ({
  'stream-append': ({ entries, stamp }) => stream.appendGroup(entries, stamp),
  'stream-begin-epoch': ({ producer }) => stream.beginEpoch(producer),
  'stream-last-sequences': ({ producer }) => stream.lastSequences(producer),
})

/**
 * Returns the stream of a workspace for callers that do not have its writer. They send requests to the pipeline, whose
 * thread has the writer. The guarantees are those of the writer, but a failure is an Error with only a message.
 */
export const createRemoteStream = (pipeline: Client<PipelineMessages>, workspaceId: string): Stream => ({
  appendGroup: (entries, stamp) => pipeline.ask('stream-append', { workspaceId, entries, stamp }),
  beginEpoch: (producer) => pipeline.ask('stream-begin-epoch', { workspaceId, producer }),
  lastSequences: (producer) => pipeline.ask('stream-last-sequences', { workspaceId, producer }),
})
