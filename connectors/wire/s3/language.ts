// What the product's own blobs need of the S3 API, as the connectors speak it.
export { failureWords } from './failures.ts'
export { listQuery, pageOf } from './list-page.ts'
export { signRequest } from './sign.ts'
