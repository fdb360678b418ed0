export { propertyIsSet } from './attributes.ts'
export { compileAudience, createCompiler } from './compile.ts'
export { computeAudience, computeJob, queueCompute, queueStaleAudiences } from './compute.ts'
export { windowMs } from './computed-traits/compile.ts'
export { computeValues, numberOfProfile } from './computed-traits/compute.ts'
export {
  computedTraitName,
  definitionOf,
  presentComputedTrait,
  presentSummary,
  readAsOf,
  readComputedTrait,
} from './computed-traits/read.ts'
export { createComputedTraitWorker } from './computed-traits/worker.ts'
export * from './computed-traits/write.ts'
export { audienceEventText, readReportedProfiles } from './destinations/audience-events.ts'
export { countFill } from './destinations/changes.ts'
export { createFarewells, noteFarewells } from './destinations/farewells.ts'
export { changesTopic, createAudienceSender } from './destinations/sender.ts'
export * from './destinations/write.ts'
export { createEvaluation, type Evaluation } from './evaluate.ts'
export { forgetAudienceChanges } from './forget-changes.ts'
export { createIncrementalEvaluation } from './incremental-evaluation/incremental-evaluation.ts'
export { checkList, forgetOldLists, listQuery, storeEntries, storeListChange } from './lists/stored.ts'
export { readPeople } from './people.ts'
export {
  type AudienceRow,
  audienceName,
  authorOf,
  dependentsOf,
  type KnownAudience,
  presentAudience,
  presentSummaries,
  readAudience,
  readKnown,
} from './read.ts'
export { checkDependents, checkReferences, lockAudiences, lookUp } from './references.ts'
export type { AudienceServices } from './services.ts'
export { createEventsParams, idAfterSample, profileLimit, type Sample } from './sql-builder.ts'
export * from './write.ts'
