export const screens: { name: string; widths?: number[] }[];
