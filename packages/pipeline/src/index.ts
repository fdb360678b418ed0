export { liveOccupiedTopic, livePublishTopic } from './branches/publish.ts'
export { createPipeline, type Pipeline, type PipelineDeps, type PipelineState } from './pipelines/events.ts'
export { processedTopic } from './progress.ts'
export { defaultPipelineSettings, insertSizesFor, type PipelineSettings } from './settings.ts'
