import type { Outbound } from '@tributary/control'
import type { LogEntry, LogPosition, LogWriter, ProducerSequence, ProducerStamp } from '@tributary/storage'

type Stream = Outbound['stream']

/** What the thread that holds the stream's writer answers to those who append from elsewhere. */
export const streamAnswers = (stream: Pick<LogWriter, keyof Stream>) => ({
  'stream-append': (given: unknown) => {
    const { entries, stamp } = given as { entries: readonly LogEntry[]; stamp: ProducerStamp | undefined }
    return stream.appendGroup(entries, stamp)
  },
  'stream-begin-epoch': (producer: unknown) => stream.beginEpoch(String(producer)),
  'stream-last-sequences': (producer: unknown) => stream.lastSequences(String(producer)),
})

/**
 * The stream for who does not hold its writer; `ask` brings questions to the thread that does. It promises what the writer does, but
 * a failure comes as an Error with its words only.
 */
export const createRemoteStream = (ask: (question: string, given: unknown) => Promise<unknown>): Stream => ({
  // The other side answers in these types.
  appendGroup: async (entries, stamp) => (await ask('stream-append', { entries, stamp })) as LogPosition | undefined,
  beginEpoch: async (producer) => (await ask('stream-begin-epoch', producer)) as number,
  lastSequences: async (producer) => (await ask('stream-last-sequences', producer)) as ProducerSequence[],
})
