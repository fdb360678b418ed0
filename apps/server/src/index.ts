export { type Config, ConfigurationError, configurationTable, readConfig } from './config.ts'
export { type RunningProduct, startProduct } from './product.ts'
