export { type RunningProduct, startProduct } from './boot/product.ts'
export { type Config, ConfigurationError, readConfig } from './config/config.ts'
export { configurationTable } from './config/settings.ts'
