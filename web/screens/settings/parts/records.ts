/** The parts that change records. They share most modules, so one script is smaller than many. */
export { screen as company } from './company.tsx'
export { screen as groups } from './groups.tsx'
export { screen as machines } from './machines.tsx'
export { screen as operators } from './operators.tsx'
export { screen as reasons } from './reasons.tsx'
export { screen as schedules } from './schedules.tsx'
export { screen as types } from './types.tsx'
export { screen as users } from './users.tsx'
