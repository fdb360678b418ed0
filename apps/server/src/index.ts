export { type Config, ConfigurationError, readConfig } from './config/config.ts'
export { configurationTable } from './config/settings.ts'
export { type RunningProduct, startProduct } from './product.ts'
