// The profiles role in a worker thread of its own: reads the stream, writes who is who into the relational store, and
// says it to the event store.
import { constants } from 'node:os'
import { storedForm } from '@tributary/control'
import { followStoredPositions } from '@tributary/pipeline'
import { createOwnersProjection, createProfiles } from '@tributary/profiles'
import { createCut, createReadingProgress, openLogReader } from '@tributary/storage'
import { openRoleContext } from './role-context.ts'
import { hostRole } from './thread-host.ts'

// Under load profiles are behind, and make up for it: storing and delivering come first.
const context = openRoleContext('profiles', {
  log: 'stream',
  maxConnections: 4,
  priority: constants.priority.PRIORITY_LOW,
})
const { coordination, db, eventStore, folders, journal, logger, metrics, reader } = context
const requests = openLogReader({ dir: folders.requests })
const stored = followStoredPositions(coordination)

const profiles = createProfiles({
  db,
  reader,
  journal,
  history: {
    eventStore,
    form: storedForm,
    cut: createCut({ stream: reader, requests, whenStored: stored.whenStored }),
  },
  logger,
  metrics,
  // People see a profile seconds after its event: fewer transactions are worth a quarter of one.
  settings: { lingerMs: 250 },
})

const progress = createReadingProgress({ eventStore, journal, partitions: reader.partitions })
const owners = createOwnersProjection({ db, eventStore, logger })

await hostRole({
  role: {
    start() {
      profiles.give(Array.from({ length: reader.partitions }, (_, partition) => partition))
      owners.start()
    },
    async stop() {
      // Who waits for the pipeline would wait beyond the end.
      stored.close()
      await Promise.all([profiles.stop(), owners.stop()])
    },
    wake: () => reader.notice(),
  },
  answers: { needed: () => profiles.needed(), progress: (workspaceId) => progress(String(workspaceId)) },
  metrics,
  async close() {
    requests.close()
    await context.close()
  },
})
