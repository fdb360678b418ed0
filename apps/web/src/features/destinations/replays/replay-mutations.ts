import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Replay } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { destinationIds, replayIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { replaysQuery } from '../../../lib/queries/replay-queries.ts'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import type { ReplayBody } from './replay-scope.ts'

/** Counts the events that a replay would send. */
export const usePreviewReplay = (destination: string) =>
  useMutation({
    mutationFn: (body: ReplayBody) => call(methods.replays.preview, { params: destinationIds(destination), body }),
  })

/** Starts a replay. */
export const useCreateReplay = (destination: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: ReplayBody & { stored_before: string; expected_event_count: number }) =>
      call(methods.replays.create, { params: destinationIds(destination), body }),
    onSuccess: ({ event_count }) => {
      notify('success', 'Replay Started', {
        description: `${count(event_count)} ${pluralise(event_count, 'event')} will be sent.`,
      })
    },
    onSettled: () => cache.invalidateQueries({ queryKey: replaysQuery(destination).queryKey }),
  })
}

const done = { pause: 'Replay Paused', resume: 'Replay Resumed', cancel: 'Replay Canceled' } as const

/** Pauses, resumes or cancels a replay. */
export const useChangeReplay = (destination: string, replay: Replay) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (verb: keyof typeof done) => call(methods.replays[verb], { params: replayIds(replay.name), body: {} }),
    onSuccess: ({ sent_count, event_count }, verb) =>
      notify(
        'success',
        done[verb],
        verb === 'cancel' ? { description: `${count(sent_count)} of ${count(event_count)} events were sent.` } : {},
      ),
    onError: (error) => notifyRefusal('Failed to change the replay', error),
    onSettled: () => cache.invalidateQueries({ queryKey: replaysQuery(destination).queryKey }),
  })
}
