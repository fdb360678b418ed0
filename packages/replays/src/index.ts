export {
  type EventRow,
  type EventsOf,
  eventColumns,
  eventCursor,
  eventCursorOf,
  payloadOf,
  presentEvent,
  readEvents,
  wireTime,
} from './events/read.ts'
export {
  eventOf,
  presentPayload,
  type StoredEventRow,
  storedEvent,
  storedEventColumns,
  storedEventText,
  storedForm,
} from './events/stored-event.ts'
export { createFilterWork } from './filter-work.ts'
export { countHistory, type HistoryScope, historyTimes, readSamples } from './history.ts'
export { createReplayRunner } from './runner.ts'
export { countDead, type DeadScope, deadLetters, type EventScope, refuseScope, scopeSource } from './scope.ts'
export type { ReplayServices } from './services.ts'
export { replayedEvent } from './violations/blocked-event.ts'
export { type BlockedFilter, countBlocked, readBlocked } from './violations/read-blocked.ts'
export { type Again, sendAgain } from './violations/send-again.ts'
export { insertReplay, setReplay } from './write.ts'
