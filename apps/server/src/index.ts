export { type Config, ConfigurationError, readConfig } from './config.ts'
export { type RunningProduct, startProduct } from './product.ts'
export { configurationTable } from './settings.ts'
