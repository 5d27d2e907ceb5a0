// Texts of the lists of the dashboard.

export const privateMark = 'Private';
