import type { Outbound } from '@tributary/control'
import type { LogEntry, LogPosition, LogWriter, ProducerSequence, ProducerStamp } from '@tributary/storage'
import { z } from 'zod'

type Stream = ReturnType<Outbound['streamFor']>

type Append = { entries: readonly LogEntry[]; stamp: ProducerStamp | undefined }

const producerOf = (about: unknown): string => z.object({ producer: z.string() }).parse(about).producer

/** What the thread that holds the stream's writer answers to those who append from elsewhere. */
export const streamAnswers = (stream: Pick<LogWriter, keyof Stream>) => ({
  'stream-append': (about: unknown) => {
    const { entries, stamp } = about as Append
    return stream.appendGroup(entries, stamp)
  },
  'stream-begin-epoch': (about: unknown) => stream.beginEpoch(producerOf(about)),
  'stream-last-sequences': (about: unknown) => stream.lastSequences(producerOf(about)),
})

/**
 * The stream for who does not hold its writer and appends what is of a workspace; `ask` brings questions to the thread that does. It promises what the writer does, but
 * a failure comes as an Error with its words only.
 */
export const createRemoteStream = (
  ask: (question: string, about: { workspaceId: string }) => Promise<unknown>,
  workspaceId: string,
): Stream => ({
  // The other side answers in these types.
  appendGroup: async (entries, stamp) =>
    (await ask('stream-append', { workspaceId, entries, stamp } as { workspaceId: string } & Append)) as
      | LogPosition
      | undefined,
  beginEpoch: async (producer) =>
    (await ask('stream-begin-epoch', { workspaceId, producer } as { workspaceId: string })) as number,
  lastSequences: async (producer) =>
    (await ask('stream-last-sequences', { workspaceId, producer } as { workspaceId: string })) as ProducerSequence[],
})
